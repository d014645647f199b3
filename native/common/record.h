// What crosses the sockets between host, zygote, keeper and init: fixed records, then strings. Both ends are built from
// this file and are shipped together; `kRecordVersion` catches a mix-up. All records are plain data, one SEQPACKET
// message each, never torn; descriptors travel beside them.
//
//   host -> zygote   Template (once), then NewSlot per slot
//   host -> keeper   Groups (the cgroups of the slot), Prepare (make a sandbox ready)
//   host -> init     Start (a program), HandOver, Signal; closing the socket ends the sandbox
//   zygote, init -> host   Ready
//   zygote, keeper, init -> host   Failed; from init also Started, Ended
#pragma once

#include <linux/filter.h>
#include <stdint.h>

#include <type_traits>

#include "stage.h"

namespace sbx {

constexpr uint32_t kRecordVersion = 4;
constexpr uint32_t kMessageBytesMax = 60 * 1024;  // larger plans travel in a sealed memory file
constexpr uint32_t kPlanBytesMax = 4 * 1024 * 1024;
constexpr unsigned kDescriptorsMax = 96;     // descriptors beside one message
constexpr unsigned kProgramsMax = 64;        // living programs in one sandbox
constexpr unsigned kProgramFdsMax = 48;      // descriptors handed to one program
constexpr unsigned kProgramFdNumberMax = 255;
constexpr unsigned kContentsMax = 4;         // inputs that init makes for one program
constexpr unsigned kOutputsMax = 8;          // and outputs
constexpr uint32_t kReportBytesMax = 16 * 1024;  // Ended, with what small files hold
constexpr unsigned kJoinsMax = 8;
constexpr unsigned kWritesMax = 12;
constexpr unsigned kRlimitsMax = 16;
constexpr unsigned kPolicyLengthMax = 4096;  // instructions of a filter of the caller's, as many as the kernel takes
constexpr unsigned kMountRowsMax = 192;  // mounts, and paths that are masked
constexpr unsigned kTreesMax = 24;  // file systems of a sandbox that the host can reach

enum class Kind : uint32_t { kTemplate = 1, kNewSlot, kGroups, kPrepare, kStart, kSignal, kHandOver, kReady = 64, kFailed, kStarted, kEnded };

// Files of a sandbox's (or a program's) cgroups. The host opens them; which file stands behind one differs between
// cgroup v1 and v2 and is decided in core/src/cgroup/.
enum Counter : uint16_t {
  kCounterCpu,          // v1 cpuacct.usage (ns), v2 cpu.stat
  kCounterMemoryPeak,   // v1 memory.max_usage_in_bytes, v2 memory.peak
  kCounterMemoryNow,    // v1 memory.usage_in_bytes, v2 memory.current
  kCounterMemoryStat,   // memory.stat
  kCounterMemoryEvents, // v1 memory.oom_control, v2 memory.events
  kCounterOomNotice,    // v1 an eventfd, v2 memory.events; polled
  kCounterTaskPeak,     // pids.peak
  kCounterMemoryLimit,  // written
  kCounterSwapLimit,    // written
  kCounterSocketLimit,  // written; v1, where what waits in sockets of the network is counted for itself
  kCounterTaskLimit,    // written
  kCounterProcs,        // cgroup.procs, read: processes of the group are found and killed by that list
  kCounterCount,
};

enum class Cause : uint32_t { kNone, kCpuLimit, kWallLimit, kOutputLimit, kMemoryLimit, kKilled };

struct Head {
  Kind kind;
  uint32_t version = kRecordVersion;
};

// ---- host -> zygote ----

enum class MountKind : uint16_t { kBind, kDir, kFile, kSymlink, kTmpfs, kMask };

// A row of the mount table. Strings are offsets into the message's tail. Targets are relative to the new root.
struct MountRow {
  MountKind kind;
  uint16_t mode;
  uint32_t flags;   // kMount…
  uint32_t source;  // bind: host path; symlink: where to; file: content
  uint32_t target;
  uint64_t sizeBytes;   // tmpfs
  uint64_t inodeCount;  // tmpfs; 0 for none
};
constexpr uint32_t kMountWritable = 1, kMountNoExec = 2, kMountRecursive = 4, kMountIsFile = 8;

// What a sandbox's /proc is: read-only, not there, or open to what a process may write of itself. Of processes alone in any case.
enum class ProcMode : uint32_t { kMasked, kNone, kWritable };

// What programs of an engine may do although the default filter refuses it; the strict one refuses it in any case.
constexpr uint32_t kAllowTracing = 1;  // the requests of ptrace that a leak checker makes, and not of init
constexpr uint32_t kAllowFilters = 2;  // filters of their own
constexpr uint32_t kAllowAio = 4;      // contexts for asynchronous requests

struct alignas(8) TemplateRecord {
  Head head{Kind::kTemplate};
  uint32_t rootless;
  uint32_t insideUid;           // uid and gid of programs inside
  uint32_t umask;               // of programs
  uint32_t ignoreSignalsToInit;
  uint32_t allowedCalls;        // kAllow…; as an ordinary user never kAllowTracing
  uint32_t ignoredSignals;      // when programs start; bit n - 1 is signal n
  uint32_t landlockAbi;         // what the kernel has, when programs are to be in a Landlock domain; else 0
  uint32_t coreLimit;           // of all processes: RLIMIT_CORE
  uint32_t coreScheduling;      // each sandbox has a cookie of its own
  ProcMode proc;
  uint32_t hostname, domainname, workDir;  // offsets of strings
  uint32_t cgroupName;          // offset: the engine's folder, removed below each parent at the end
  uint32_t cgroupParentCount;   // descriptors beside this message: one folder per hierarchy
  uint32_t mountCount;
  uint32_t policyLength;        // 0: no filter of the caller's
  // then mountCount MountRows, then policyLength BPF instructions, then the strings
};

// Beside it: the keeper's end of its channel.
struct NewSlotRecord {
  Head head{Kind::kNewSlot};
  uint32_t slotId;
  uint32_t uidBase;  // host ids of this slot: init's, then the program's; unused when rootless
};

// ---- host -> keeper ----

// Beside it: joinCount cgroup.procs files for the keeper to enter (v1), then one descriptor per set bit of counterMask,
// then, if `hasFolder`, the folder of a v2 group for CLONE_INTO_CGROUP.
struct GroupsRecord {
  Head head{Kind::kGroups};
  uint32_t joinCount;
  uint32_t counterMask;
  uint32_t hasFolder;
  uint32_t oomEventfd;  // kCounterOomNotice is an eventfd (v1), not a file that is polled (v2)
};

enum class SeccompProfile : uint32_t { kDefault, kStrict };

// Beside it: init's end of its channel, whose other end tells the host of the death of an init at any time. Then descriptors into
// the sandbox before, for the keeper to close: the last one gone, the kernel takes a file system apart, which is no work for the
// host's only thread.
constexpr uint32_t kPrepareLoopback = 1;
constexpr uint32_t kPrepareStrict = 2;       // the filter with the shorter list
constexpr uint32_t kPrepareSeccompKill = 4;  // it kills
constexpr uint32_t kPrepareTerminal = 8;     // mount /dev/pts
constexpr uint32_t kPrepareSpareInput = 16;  // a file for an input is made ahead: the program before had one
constexpr uint32_t kPrepareOneCpu = 32;      // made on the keeper's CPU: the other one is a program's, which has just been started

struct PrepareRecord {
  Head head{Kind::kPrepare};
  uint32_t flags;
  uint64_t diskBytes, diskFileCount;  // 0: no limit
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

constexpr uint32_t kStartOneShot = 1;      // the sandbox ends with this program
constexpr uint32_t kStartNotify = 2;       // say Started
constexpr uint32_t kStartTerminal = 4;     // 0, 1 and 2 are a new terminal; its master goes beside Started
constexpr uint32_t kStartOwnGroup = 8;     // the program has cgroups of its own (joins and counters are its)
constexpr uint32_t kStartInFile = 16;      // the record is in a memory file, the only descriptor before all others
constexpr uint32_t kStartAhead = 64;       // of its request: HandOver comes before its end can be told
constexpr uint32_t kStartCallsKill = 128;   // calls outside of the family kill
constexpr uint32_t kStartFindFirst = 32;   // the first path that is executable and no folder is the program, and its argv[0]
constexpr unsigned kStartFamilyShift = 8;  // above are three bits: one more than the CallFamily in a strict sandbox, 0 in any other
constexpr uint32_t kStartFamilyMask = 7;

// Which calls a program makes, by its language.
enum class CallFamily : uint32_t { kAny, kNative, kPython, kNode, kJvm, kBeam, kShell };

constexpr uint8_t kFdNull = 1;  // this descriptor is the sandbox's /dev/null; none is sent for it
constexpr uint8_t kFdHold = 2;  // init keeps its copy until the program's end: a captured pipe then shows end of file to the
                                // host only with the report, which saves it one awakening per pipe
constexpr uint8_t kFdOutput = 4;   // one of the start's outputs; none is sent for it
constexpr uint8_t kFdContent = 8;  // one of its contents, likewise

struct FdRow {
  uint16_t target;
  uint8_t flags;
  uint8_t index = 0;  // with kFdOutput and kFdContent: which
};

// What a file for the program to read holds. Init makes it, sealed in memory; else the host would, and send it.
struct ContentRow {
  uint32_t at, size;  // in the message
};

// A file for the program to write to, whose content comes with Ended. Init makes it, in a sandbox that no program has been in: it
// does so in a fraction of the time that the host takes, and of an empty one nothing need be sent.
struct OutputRow {
  uint16_t tree;  // of those beside Ready
  uint16_t mode;
  uint32_t asFile;  // its descriptor is wanted, whatever its size
  uint32_t path;    // offset; beneath the root of the tree, through no link
};

// Beside it, in this order: one descriptor per FdRow with none of kFdNull, kFdOutput and kFdContent, joinCount cgroup.procs files for
// the program to enter, one descriptor per set bit of counterMask.
struct StartRecord {
  Head head{Kind::kStart};
  uint32_t flags;
  uint32_t programId;
  uint64_t cpuLimitNs, wallLimitNs;  // 0: none
  uint64_t memoryLimitBytes;         // 0: none; enforced by the cgroup, here to know when to look for page cache
  uint32_t cpuCount;                 // CPUs it can use at once: bounds how fast the CPU limit can come near
  uint32_t oomEventfd;               // as in GroupsRecord
  uint32_t turns;                    // number of the group in which it and others wait for each other in turn; 0: none. See turns.cc
  uint32_t cols, rows;
  uint32_t typed, typedSize;         // offset; goes into the terminal before the program is there, so that its echo comes first
  uint32_t fdCount, joinCount, counterMask, writeCount, rlimitCount;
  uint32_t contentCount, outputCount;        // only with kStartOneShot
  uint32_t cwd;                              // offset
  uint32_t pathCount, argCount, envCount;    // strings in a row each, from `strings` on
  uint32_t strings, size;                    // offset of the first; size of the whole message
  FdRow fds[kProgramFdsMax];
  ContentRow contents[kContentsMax];
  OutputRow outputs[kOutputsMax];
  WriteRow writes[kWritesMax];
  RlimitRow rlimits[kRlimitsMax];
};

// A program that was started ahead of its request (kStartAhead), and has waited since, gets it. The host has bounded the group and
// lets the program go on right after this, without an answer. Memory and tasks count since its start, as what it holds is its own.
struct HandOverRecord {
  Head head{Kind::kHandOver};
  uint32_t programId;
  uint32_t cpuCount;  // this and the limits: as in StartRecord
  uint64_t cpuLimitNs, wallLimitNs, memoryLimitBytes;
  uint64_t startNs;    // by CLOCK_MONOTONIC: its time counts from here
  uint64_t cpuBaseNs;  // what the group's counter said then; kUnknown: not counted, init looks itself
};

struct SignalRecord {
  Head head{Kind::kSignal};
  uint32_t programId;
  int32_t signal;
  uint32_t everything;  // all of its processes, not only the main one
  Cause cause;          // recorded as why it ended, if it was the first
};

// ---- upward ----

constexpr uint64_t kUnknown = ~0ULL;  // a figure that nothing could measure

// From init beside it: the roots of the sandbox's own file systems: work folder, /tmp, /dev/shm, tmpfs rows in their order.
struct ReadyRecord {
  Head head{Kind::kReady};
  uint64_t heldBytes = kUnknown;  // of an init: memory charged to its group, with what earlier sandboxes left there
};

struct FailedRecord {
  Head head{Kind::kFailed};
  uint32_t programId = 0;
  Stage stage;
  uint16_t index;
  int32_t error;
};

struct StartedRecord {
  Head head{Kind::kStarted};
  uint32_t programId;
  int32_t pid;  // inside
};

struct OutputEnd {
  uint32_t contentBytes;  // all of it is in the message; 0 also when its descriptor is beside it
  uint32_t isBeside;
};

// Followed by an OutputEnd for each output of the start, then what those hold that are told by content, in a row. Beside it the
// files of the others, open for reading. None when the program was not even begun.
struct EndedRecord {
  Head head{Kind::kEnded};
  uint32_t programId;
  int32_t waitStatus;  // as wait(2) gives it
  Cause cause;         // what the supervisor did first
  uint32_t outputCount = 0;
  uint64_t cpuNs, wallNs;
  uint64_t memoryPeakBytes;      // since the start, what was there before taken off
  uint64_t fileCacheBytes;       // caches still charged at the end (ReadCaches); kUnknown: not looked at
  uint64_t oomKillCount;
  uint64_t taskPeak;             // high-water mark of the group, helpers included
  uint64_t taskPeakBefore;       // the same before the start: equal, the program reached no more
  uint64_t maxRssBytes;          // of the main process; when nothing better is there
};

static_assert(std::is_trivially_copyable_v<StartRecord> && std::is_trivially_copyable_v<HandOverRecord> && std::is_trivially_copyable_v<EndedRecord>);
static_assert(sizeof(StartRecord) < 4096);
static_assert(sizeof(TemplateRecord) % alignof(MountRow) == 0);  // the rows follow it
static_assert(sizeof(MountRow) % alignof(struct sock_filter) == 0);  // the filter follows them

}  // namespace sbx
