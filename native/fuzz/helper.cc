// The whole helper, from its first message on, over a made-up kernel: template, slots, groups, sandboxes,
// programs.
#include <linux/filter.h>

#include <string>
#include <vector>

#include "../common/record.h"
#include "../test/messages.h"
#include "events.h"
#include "kernel.h"
#include "target.h"

namespace sbx {
[[noreturn]] void HelperMain();
}

namespace sbx::fuzz {
namespace {

using test::BytesOf;
using test::Strings;

constexpr int kSocket = 3;
constexpr uint8_t kAllCounters = kCounterCount;

void Run(const std::string& input) {
  StartKernel(input, kSocket);
  try {
    HelperMain();
  } catch (const Ended&) {}
  StopKernel();
}

Event Message(const std::string& bytes, uint8_t fds = 0) {
  return {kMessage, std::string(1, (char)fds) + bytes};
}

MountRow Row(Strings& strings, MountKind kind, const char* source, const char* target, uint32_t flags = 0) {
  MountRow row = {};
  row.kind = kind;
  row.flags = flags;
  row.mode = 0755;
  row.source = strings.Add(source);
  row.target = strings.Add(target);
  row.sizeBytes = 1 << 20;
  row.inodeCount = 64;
  return row;
}

Event Template(uint32_t rootless, uint32_t landlockAbi) {
  constexpr unsigned kRows = 7;
  TemplateRecord record = {};
  record.rootless = rootless;
  record.landlockAbi = landlockAbi;
  record.insideUid = 1000;
  record.cgroupParentCount = 2;
  record.mountCount = kRows;
  record.policyLength = 1;
  Strings strings(sizeof(record) + kRows * sizeof(MountRow) + sizeof(struct sock_filter));
  record.hostname = strings.Add("sandbox");
  record.domainname = strings.Add("");
  record.workDir = strings.Add("/w");
  record.cgroupName = strings.Add("sbx-1");
  std::string rows;
  rows += BytesOf(Row(strings, MountKind::kBind, "/usr", "usr", kMountRecursive));
  rows += BytesOf(Row(strings, MountKind::kBind, "/etc/motd", "etc/motd", kMountIsFile | kMountNoExec));
  rows += BytesOf(Row(strings, MountKind::kDir, "", "a/b/c"));
  rows += BytesOf(Row(strings, MountKind::kFile, "text", "etc/name"));
  rows += BytesOf(Row(strings, MountKind::kSymlink, "usr/bin", "bin"));
  rows += BytesOf(Row(strings, MountKind::kTmpfs, "", "tmp"));
  rows += BytesOf(Row(strings, MountKind::kMask, "", "etc/shadow"));
  const struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, 0x7fff0000};
  return Message(BytesOf(record) + rows + BytesOf(allow) + strings.bytes(), 2);
}

Event Slot() {
  NewSlotRecord record;
  record.slotId = 1;
  record.uidBase = 100'000;
  return Message(BytesOf(record), 1);
}

Event Groups(uint32_t oomEventfd) {
  GroupsRecord record;
  record.joinCount = 1;
  record.counterMask = (1U << kCounterCount) - 1;
  record.hasFolder = 1;
  record.oomEventfd = oomEventfd;
  return Message(BytesOf(record), 1 + kAllCounters + 1);
}

Event Prepare(uint32_t flags) {
  PrepareRecord record;
  record.flags = flags;
  record.diskBytes = 1 << 20;
  record.diskFileCount = 100;
  return Message(BytesOf(record), 1);
}

std::string Start(uint32_t id, uint32_t flags) {
  StartRecord record = {};
  record.flags = flags;
  record.programId = id;
  record.cpuLimitNs = 5'000'000;
  record.wallLimitNs = 20'000'000;
  record.memoryLimitBytes = 1 << 20;
  record.cpuCount = 2;
  record.turns = id;
  record.fdCount = 3;
  record.fds[1] = {1, kFdNull};
  record.fds[2] = {2, kFdHold};
  if ((flags & kStartOneShot) != 0) {
    record.fdCount = 5;
    record.contentCount = record.outputCount = 1;
    record.fds[3] = {3, kFdContent, 0};
    record.fds[4] = {4, kFdOutput, 0};
  }
  if ((flags & kStartOwnGroup) != 0) {
    record.joinCount = 1;
    record.counterMask = (1U << kCounterCount) - 1;
  }
  record.rlimitCount = 1;
  record.rlimits[0] = {7, 0, 64, 64};
  Strings strings(sizeof(record));
  record.writeCount = 2;
  record.writes[0] = {kCounterMemoryLimit, 0, strings.Add("1048576")};
  record.writes[1] = {kCounterSwapLimit, 1, strings.Add("1048576")};
  record.cwd = strings.Add("/w");
  record.contents[0] = {strings.Add("content"), 7};
  record.outputs[0] = {0, 0600, (flags & kStartNotify) != 0, strings.Add("out")};
  record.strings = (uint32_t)(sizeof(record) + strings.bytes().size());
  record.pathCount = record.argCount = record.envCount = 2;
  for (const char* text : {"/bin/cat", "/usr/bin/cat", "cat", "-n", "A=1", "B="}) (void)strings.Add(text);
  record.size = (uint32_t)(sizeof(record) + strings.bytes().size());
  return BytesOf(record) + strings.bytes();
}

Event StartOf(uint32_t id, uint32_t flags) {
  return Message(Start(id, flags), (flags & kStartOwnGroup) != 0 ? 3 + kAllCounters : 2);
}

Event Activate(uint32_t id) {
  ActivateRecord record;
  record.programId = id;
  record.cpuCount = 2;
  record.cpuLimitNs = 5'000'000;
  record.wallLimitNs = 20'000'000;
  record.memoryLimitBytes = 1 << 20;
  record.startNs = 0;
  record.cpuBaseNs = kUnknown;
  return Message(BytesOf(record));
}

Event SignalOf(uint32_t id, uint32_t everything) {
  SignalRecord record;
  record.programId = id;
  record.signal = 9;
  record.everything = everything;
  record.cause = Cause::kKilled;
  return Message(BytesOf(record));
}

Event MakeSocketOf(uint32_t id, uint32_t ipv6) {
  MakeSocketRecord record;
  record.requestId = id;
  record.ipv6 = ipv6;
  return Message(BytesOf(record));
}

Event Exit(uint8_t which, uint8_t status) { return {kExit, {(char)which, (char)status}}; }
Event Text(const char* text) { return {kText, text}; }
Event Clock(uint32_t milliseconds) { return {kClock, BytesOf((uint64_t)milliseconds * 1'000'000 << 16)}; }
Event Fork(bool other) { return {kFork, {(char)other}}; }

// Conversations that reach every part.
std::vector<std::string> Seeds() {
  const Events ready = {Template(0, 0), Slot(), Groups(1), Prepare(0)};
  const auto with = [&](const Events& more) {
    Events all = ready;
    all.insert(all.end(), more.begin(), more.end());
    return Join(all);
  };
  const Event report = {kPipe, BytesOf(uint64_t{2} << 32 | 5)};
  return {
      Join({Template(1, 6), Slot(), Groups(0),
          Prepare(kPrepareTerminal | kPrepareLoopback | kPrepareSpareInput),
          StartOf(1, kStartTerminal | kStartNotify), Exit(0, 0)}),
      Join({Template(0, 0), Slot(), Fork(false), Fork(true), Slot()}),
      with({StartOf(1, kStartOneShot), Text("usage_usec 99999999\noom_kill 3\n"), Clock(30), Exit(0, 1)}),
      with({StartOf(1, kStartAhead), Activate(1), {kNotice, ""}, SignalOf(1, 1), Exit(0, 0), StartOf(2, 0),
          SignalOf(2, 0), Exit(0, 137)}),
      with({StartOf(1, 0), StartOf(2, kStartOwnGroup | kStartNotify), {kPipe, ""}, Text("2\n3\n4\n"),
          SignalOf(2, 1), Exit(1, 0), Clock(100), Exit(0, 0), Exit(0, 0)}),
      with({StartOf(1, 0), StartOf(2, kStartOwnGroup), report, {kNotice, ""}, Exit(1, 127), Exit(9, 0)}),
      with({{kPlan, Start(1, kStartInFile)}, Message(Start(1, kStartInFile), 3), Exit(0, 0)}),
      with({StartOf(1, kStartFindFirst)}),
      with({SignalOf(1, 0), Activate(1), StartOf(1, kStartTerminal | kStartOneShot)}),
      with({MakeSocketOf(1, 0), StartOf(1, 0), MakeSocketOf(2, 1), Exit(0, 0)}),
      with({Fork(false), Fork(false), Fork(false), Fork(true), StartOf(1, 0), Exit(0, 0),
          StartOf(2, kStartFindFirst)}),
      with({Message("x"), Groups(0), Prepare(0)}),
  };
}

}  // namespace

constinit const Target kHelperTarget = {"helper", Run, Seeds, true};

}  // namespace sbx::fuzz
