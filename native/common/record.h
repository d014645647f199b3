// What crosses the sockets between host, zygote, keeper and init: fixed records, then strings. Both ends are
// built from this file and are shipped together; `kRecordVersion` catches a mix-up. All records are plain
// data, one SEQPACKET message each, never torn; descriptors travel beside them.
//
//   host -> zygote   Template (once), then NewSlot per slot
//   host -> keeper   Groups (the cgroups of the slot), Prepare (make a sandbox ready)
//   host -> init     Start (a program), Activate, Signal, MakeSocket; closing the socket ends the sandbox
//   zygote, init -> host   Ready
//   zygote, keeper, init -> host   Failed; from init also Started, Ended, Socket
#pragma once

#include <linux/filter.h>
#include <stdint.h>

#include <type_traits>

#include "stage.h"

namespace sbx {

// Of native/protocol: the build says it.
constexpr uint32_t kRecordVersion = SBX_PROTOCOL_VERSION;

#define SBX_BOUND(name, value) constexpr uint32_t name = value;
#include "../protocol/bounds.def"

enum class Kind : uint32_t {
#define SBX_KIND(Name, name, value) k##Name = value,
#include "../protocol/lists.def"
};

// Files of a sandbox's (or a program's) cgroups. The host opens them.
enum Counter : uint16_t {
#define SBX_COUNTER(Name, name) kCounter##Name,
#include "../protocol/lists.def"
  kCounterCount,
};

enum class Cause : uint32_t {
#define SBX_CAUSE(Name, name) k##Name,
#include "../protocol/lists.def"
};

enum class CallFamily : uint32_t {
#define SBX_FAMILY(Name, name) k##Name,
#include "../protocol/lists.def"
  kCount,
};

enum class ProcMode : uint32_t {
#define SBX_PROC_MODE(Name, name) k##Name,
#include "../protocol/lists.def"
};

enum class MountKind : uint16_t {
#define SBX_MOUNT_KIND(Name, name) k##Name,
#include "../protocol/lists.def"
};

// Flags, each one bit: its place in the list.
namespace bit {
enum {
#define SBX_ALLOWABLE(Name, name) kAllow##Name,
#include "../protocol/lists.def"
};
enum {
#define SBX_MOUNT_FLAG(Name, name) kMount##Name,
#include "../protocol/lists.def"
};
enum {
#define SBX_PREPARE_FLAG(Name, name) kPrepare##Name,
#include "../protocol/lists.def"
};
enum {
#define SBX_START_FLAG(Name, name) kStart##Name,
#include "../protocol/lists.def"
};
enum {
#define SBX_FD_FLAG(Name, name) kFd##Name,
#include "../protocol/lists.def"
};
}  // namespace bit
#define SBX_BIT(type, name) constexpr type name = 1u << bit::name;
#define SBX_ALLOWABLE(Name, name) SBX_BIT(uint32_t, kAllow##Name)
#define SBX_MOUNT_FLAG(Name, name) SBX_BIT(uint32_t, kMount##Name)
#define SBX_PREPARE_FLAG(Name, name) SBX_BIT(uint32_t, kPrepare##Name)
#define SBX_START_FLAG(Name, name) SBX_BIT(uint32_t, kStart##Name)
#define SBX_FD_FLAG(Name, name) SBX_BIT(uint8_t, kFd##Name)
#include "../protocol/lists.def"
#undef SBX_BIT
// The record is in a memory file, the only descriptor before all others.
constexpr uint32_t kStartInFile = 1u << 31;

constexpr uint64_t kUnknown = ~0ULL;  // a figure that nothing could measure

// A field of a record, by the last column of its row.
#define SBX_FIELD(type, name, as) type name = (type)SBX_INITIAL_##as;
#define SBX_INITIAL_number 0
#define SBX_INITIAL_flag 0
#define SBX_INITIAL_text 0
#define SBX_INITIAL_figure kUnknown
#define SBX_INITIAL_cause Cause::kNone
#define SBX_INITIAL_stage Stage::k_none

struct Head {
  Kind kind;
  uint32_t version = kRecordVersion;
};

// ---- host -> zygote ----

// A row of the mount table. Strings are offsets into the message's tail. Targets are relative to the new
// root.
struct MountRow {
  MountKind kind;
  uint16_t mode;
  uint32_t flags;   // kMount…
  uint32_t source;  // bind: host path; symlink: where to; file: content
  uint32_t target;
  uint64_t sizeBytes;   // tmpfs
  uint64_t inodeCount;  // tmpfs; 0 for none
};

struct alignas(8) TemplateRecord {
  Head head{Kind::kTemplate};
#define SBX_TEMPLATE SBX_FIELD
#include "../protocol/requests.def"
  uint32_t cgroupParentCount;  // descriptors beside this message: one folder per hierarchy
  uint32_t mountCount;
  uint32_t policyLength;  // 0: no filter of the caller's
  // then mountCount MountRows, then policyLength BPF instructions, then the strings
};

// Beside it: the keeper's end of its channel.
struct NewSlotRecord {
  Head head{Kind::kNewSlot};
#define SBX_NEW_SLOT SBX_FIELD
#include "../protocol/requests.def"
};

// ---- host -> keeper ----

// Beside it: joinCount cgroup.procs files for the keeper to enter (v1), then one descriptor per set bit of
// counterMask, then, if `hasFolder`, the folder of a v2 group for CLONE_INTO_CGROUP.
struct GroupsRecord {
  Head head{Kind::kGroups};
#define SBX_GROUPS SBX_FIELD
#include "../protocol/requests.def"
  uint32_t joinCount = 0;
  uint32_t hasFolder = 0;
};

enum class SeccompProfile : uint32_t { kDefault, kStrict };

// Beside it: init's end of its channel, whose other end tells the host of the death of an init at any time.
// Then descriptors into the sandbox before, for the keeper to close: the last one gone, the kernel takes a
// file system apart, which is no work for the host's only thread.
struct PrepareRecord {
  Head head{Kind::kPrepare};
  uint32_t flags;  // kPrepare…
#define SBX_PREPARE SBX_FIELD
#include "../protocol/requests.def"
};

// ---- host -> init ----

struct RlimitRow {
  uint32_t resource, pad = 0;
  uint64_t soft, hard;
};
struct WriteRow {
  uint16_t counter;
  uint16_t optional;  // a failure is ignored: the host has reported this limit as not enforced
  uint32_t text;      // offset
};

struct FdRow {
  uint16_t target;
  uint8_t flags;
  uint8_t index = 0;  // with kFdOutput and kFdContent: which
};

// What a file for the program to read holds. Init makes it, sealed in memory; else the host would, and send
// it.
struct ContentRow {
  uint32_t at, size;  // in the message
};

// A file for the program to write to, whose content comes with Ended. Init makes it, in a sandbox that no
// program has been in: it does so in a fraction of the time that the host takes, and of an empty one nothing
// need be sent.
struct OutputRow {
  uint16_t tree;  // of those beside Ready
  uint16_t mode;
  uint32_t asFile;  // its descriptor is wanted, whatever its size
  uint32_t path;    // offset; beneath the root of the tree, through no link
};

// Beside it, in this order: one descriptor per FdRow with none of kFdNull, kFdOutput and kFdContent,
// joinCount cgroup.procs files for the program to enter, one descriptor per set bit of counterMask.
struct StartRecord {
  Head head{Kind::kStart};
  uint32_t flags;  // kStart…
#define SBX_START SBX_FIELD
#define SBX_START_LIST(name, array, count, width, max) uint32_t count;
#define SBX_START_TEXTS(name, count) uint32_t count;
#include "../protocol/requests.def"
  uint32_t joinCount;
  uint32_t contentCount;  // this and outputCount: only with kStartOneShot
  // Offset; goes into the terminal before the program is there, so that its echo comes first.
  uint32_t typed, typedSize;
  uint32_t cwd;  // offset
  // Offset of the first of the paths, arguments and variables, one after another; size of the whole message.
  uint32_t strings, size;
  FdRow fds[kProgramFdsMax];
  ContentRow contents[kContentsMax];
  OutputRow outputs[kOutputsMax];
  WriteRow writes[kWritesMax];
  RlimitRow rlimits[kRlimitsMax];
};

// A program that was started ahead of its request (kStartAhead), and has waited since, gets it. The host has
// bounded the group and lets the program go on right after this, without an answer. Memory and tasks count
// since its start, as what it holds is its own.
struct ActivateRecord {
  Head head{Kind::kActivate};
#define SBX_ACTIVATE SBX_FIELD
#include "../protocol/requests.def"
  uint64_t startNs;  // by CLOCK_MONOTONIC: its time counts from here
};

struct SignalRecord {
  Head head{Kind::kSignal};
#define SBX_SIGNAL SBX_FIELD
#include "../protocol/requests.def"
};

struct MakeSocketRecord {
  Head head{Kind::kMakeSocket};
#define SBX_MAKE_SOCKET SBX_FIELD
#include "../protocol/requests.def"
};

// ---- upward ----

// From init beside it: the roots of the sandbox's own file systems: work folder, /tmp, /dev/shm, tmpfs rows
// in their order.
struct ReadyRecord {
  Head head{Kind::kReady};
#define SBX_READY SBX_FIELD
#include "../protocol/reports.def"
};

struct FailedRecord {
  Head head{Kind::kFailed};
#define SBX_FAILED SBX_FIELD
#include "../protocol/reports.def"
};

struct StartedRecord {
  Head head{Kind::kStarted};
#define SBX_STARTED SBX_FIELD
#include "../protocol/reports.def"
};

struct OutputEnd {
  uint32_t contentBytes;  // all of it is in the message; 0 also when its descriptor is beside it
  uint32_t isBeside;
};

// Followed by an OutputEnd for each output of the start, then what those hold that are told by content, in a
// row. Beside it the files of the others, open for reading. None when the program was not even begun.
struct EndedRecord {
  Head head{Kind::kEnded};
#define SBX_ENDED SBX_FIELD
#include "../protocol/reports.def"
};

struct SocketRecord {
  Head head{Kind::kSocket};
#define SBX_SOCKET SBX_FIELD
#include "../protocol/reports.def"
};

static_assert(std::is_trivially_copyable_v<StartRecord> && std::is_trivially_copyable_v<ActivateRecord> &&
              std::is_trivially_copyable_v<EndedRecord>);
static_assert(sizeof(StartRecord) < 4096);
static_assert(sizeof(TemplateRecord) % alignof(MountRow) == 0);      // the rows follow it
static_assert(sizeof(MountRow) % alignof(struct sock_filter) == 0);  // the filter follows them

#undef SBX_FIELD
#undef SBX_INITIAL_number
#undef SBX_INITIAL_flag
#undef SBX_INITIAL_text
#undef SBX_INITIAL_figure
#undef SBX_INITIAL_cause
#undef SBX_INITIAL_stage

}  // namespace sbx
