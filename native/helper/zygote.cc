// The zygote: one per engine, pid 1 of the engine's pid namespace. It enters the template, then clones a
// keeper per slot on request. Its end (end of file on its socket, whatever ended the host) is the end of
// everything: it kills all, waits for all, and removes the engine's cgroups, so that a host killed with
// SIGKILL leaves nothing either.

#include "zygote.h"
#include "setup.h"

#include <errno.h>
#include <linux/prctl.h>
#include <signal.h>
#include <sys/wait.h>

#include "../common/channel.h"
#include "../common/text.h"
#include "cgroup_tree.h"
#include "network.h"
#include "scheduling.h"
#include "template_message.h"

namespace sbx {
namespace {

char gMessage[kMessageBytesMax];
char gTemplate[kMessageBytesMax];

struct Zygote {
  Helper helper;
  Fd signals;
  const char* cgroupName;
  Fd cgroupParents[kCgroupParentsMax];
  unsigned cgroupParentCount = 0;
};

int WriteFile(int folder, const char* path, const char* text) {
  Fd file(sys::Open(folder, path, O_WRONLY));
  if (!file) return file.release();
  const long written = sys::Write(file.get(), text, Length(text));
  return written < 0 ? (int)written : 0;
}

// Inherited by all. More than the hard limit that we were given is not to be had: a lower one dumps no more.
Failure SetCoreLimit(uint64_t bytes) {
  const struct rlimit limit = {bytes, bytes};
  const int set = sys::SetRlimit(RLIMIT_CORE, &limit);
  return FailIf(Stage::k_rlimits, set == -EPERM ? 0 : set, 100);
}

// Where a program makes init execute its own file (/proc/self/exe, as an interpreter, too), there is no
// channel.
[[noreturn]] void RefuseToRun() {
  constexpr char kText[] = "sbx-helper: part of @sbx/core, not to be run as a program\n";
  (void)!sys::Write(2, kText, sizeof(kText) - 1);
  sys::Exit(126);
}

Failure SetUp(Zygote& zygote) {
  Received received;
  Receive(kChannel, gTemplate, sizeof(gTemplate), received);
  if (received.size < 0) RefuseToRun();
  if (received.size == 0) sys::Exit(0);
  if (!TemplateIsSound(received, gTemplate)) return {Stage::k_message, 0, EPROTO};
  SBX_TRY(FailIf(Stage::k_ready, zygote.signals.get(), 2));
  const auto& record = *reinterpret_cast<const TemplateRecord*>(gTemplate);
  SBX_TRY(FailIf(Stage::k_namespaces, sys::Unshare(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC)));
  SBX_TRY(FailIf(Stage::k_capabilities, sys::Prctl(PR_SET_NO_NEW_PRIVS, 1)));

  SBX_TRY(SetCoreLimit(record.coreLimit));

  Template& plan = zygote.helper.plan;
  SBX_TRY(FailIf(Stage::k_ready, sys::RandomBytes(&plan.launchKey, sizeof(plan.launchKey)), 3));
  plan.rootless = record.rootless != 0;
  // Init has the programs' user id.
  plan.allowedCalls = plan.rootless ? record.allowedCalls & ~kAllowTracing : record.allowedCalls;
  plan.ignoreSignalsToInit = record.ignoreSignalsToInit != 0;
  plan.coreScheduling = record.coreScheduling != 0;
  plan.landlockAbi = record.landlockAbi;
  plan.proc = record.proc;
  plan.insideUid = record.insideUid;
  plan.umask = record.umask;
  plan.ignoredSignals = record.ignoredSignals;
  plan.workDir = gTemplate + record.workDir;
  plan.hostname = gTemplate + record.hostname;
  plan.domainname = gTemplate + record.domainname;
  plan.rows = reinterpret_cast<const MountRow*>(gTemplate + sizeof(record));
  plan.rowCount = record.mountCount;
  plan.policy = reinterpret_cast<const struct sock_filter*>(plan.rows + plan.rowCount);
  plan.policyLength = record.policyLength;
  plan.strings = gTemplate;
  plan.procFd = -1;
  zygote.cgroupName = gTemplate + record.cgroupName;
  zygote.cgroupParentCount = record.cgroupParentCount;
  for (unsigned i = 0; i < record.cgroupParentCount; ++i)
    zygote.cgroupParents[i] = static_cast<Fd&&>(received.fds[i]);
  SBX_TRY(EnterTemplate(plan));
  SBX_TRY(FailIf(Stage::k_hostname, sys::SetHostName(plan.hostname, Length(plan.hostname))));
  return FailIf(Stage::k_hostname, sys::SetDomainName(plan.domainname, Length(plan.domainname)), 1);
}

// In a clone of the zygote: waits until the maps are written, takes the first id of the slot, gets a network
// of its own (empty, so that its cost is not paid per run), gives up what no sandbox needs, and serves.
[[noreturn]] void KeeperStart(Zygote& zygote, int channel, int go) {
  char byte;
  if (sys::Read(go, &byte, 1) != 1) sys::Exit(1);
  sys::Close(go);
  sys::Close(kChannel);
  zygote.signals.reset();
  for (Fd& parent : zygote.cgroupParents) parent.reset();
  Fd sockets;
  const auto become = [&]() -> Failure {
    if (!zygote.helper.plan.rootless) {
      SBX_TRY(FailIf(Stage::k_identity, sys::ClearGroups()));
      const uint32_t id = zygote.helper.plan.initUid();
      SBX_TRY(FailIf(Stage::k_identity, sys::SetResGid(id), 1));
      SBX_TRY(FailIf(Stage::k_identity, sys::SetResUid(id), 2));
    }
    SBX_TRY(MakeSlotNetwork(zygote.helper.plan, sockets));
    // No program below can ever regain a capability: nothing is left in the bounding set, and uid 0 means
    // nothing.
    for (unsigned long capability = 0; capability < 64; ++capability)
      if (const int dropped = sys::Prctl(PR_CAPBSET_DROP, capability); dropped == -EINVAL) break;
      else SBX_TRY(FailIf(Stage::k_capabilities, dropped, (unsigned)capability));
    // Each with its lock.
    constexpr unsigned long kNoRoot = 3, kNoSetuidFixup = 12, kKeepCapsLocked = 32, kNoAmbientRaise = 192;
    SBX_TRY(FailIf(Stage::k_capabilities,
        sys::Prctl(PR_SET_SECUREBITS, kNoRoot | kNoSetuidFixup | kKeepCapsLocked | kNoAmbientRaise), 100));
    return LoadInheritedFilter(zygote.helper.plan);
  };
  if (const Failure failure = become()) {
    Report(channel, failure);
    sys::Exit(1);
  }
  const ReadyRecord ready;
  if (Send(channel, &ready, sizeof(ready), nullptr, 0) < 0) sys::Exit(1);
  KeeperMain(zygote.helper, channel, static_cast<Fd&&>(sockets));
}

Failure MapKeeper(const Zygote& zygote, long pid, const NewSlotRecord& request) {
  const Template& plan = zygote.helper.plan;
  const auto write = [&](const char* file, const char* text, unsigned index) {
    Text<64> path;
    path << (uint64_t)pid << "/" << file;
    return FailIf(Stage::k_idMap, WriteFile(plan.procFd, path.text(), text), index);
  };
  // Keeper and init are to be heard above any number of programs that spin (scheduling.h); programs go back.
  // An ordinary user may choose the slice alone.
  if (SetNiceAndSlice((int)pid, zygote.helper.nice + kInitNice, kInitSliceNs) < 0)
    (void)SetNiceAndSlice((int)pid, zygote.helper.nice, kInitSliceNs);
  // The program's id is never init's: where the program is 0 inside, init is 1. Neither means anything, 0 has
  // no rights here. Rootless there is only one id, our own 0, and init has to share it with the programs;
  // what keeps them apart then is that init is undumpable, holds capabilities they lack, and that the filter
  // refuses ptrace and its like.
  Text<128> map;
  if (plan.rootless) map << plan.insideUid << " 0 1\n";
  else
    map << plan.initUid() << " " << request.uidBase << " 1\n"
        << plan.insideUid << " " << (uint64_t)request.uidBase + 1 << " 1\n";
  SBX_TRY(write("uid_map", map.text(), 11));
  // Anybody in the namespace may write the map of projects, once: a sandbox could leave a message in it for
  // the next one. Where it is not ours to write it is not theirs either.
  Text<64> projects;
  projects << (uint64_t)pid << "/projid_map";
  (void)WriteFile(plan.procFd, projects.text(), "0 0 1\n");
  return write("gid_map", map.text(), 12);
}

// What the kernel counts per user (inotify instances, pending signals, message queues) it counts for the
// owner of a user namespace as well, and the owner is the effective user of whoever makes it: all slots would
// share the budget of the host's root, and starve it. So a slot's namespace is made as the slot's own user,
// with our capabilities kept meanwhile: hosts that forbid such namespaces to ordinary users ask for them.
// Where they cannot be kept, they come back with the user.
long CloneKeeper(const Zygote& zygote, const NewSlotRecord& request) {
  constexpr unsigned long kNoSetuidFixup = 4;
  struct clone_args args = {};
  args.flags = CLONE_NEWUSER | CLONE_NEWNS;
  args.exit_signal = SIGCHLD;
  if (zygote.helper.plan.rootless) return sys::Clone3(&args);
  (void)sys::Prctl(PR_SET_SECUREBITS, kNoSetuidFixup);
  if (const int taken = sys::SetEffectiveUid(request.uidBase); taken < 0) return taken;
  const long pid = sys::Clone3(&args);
  if (pid == 0) return 0;
  const int back = sys::SetEffectiveUid(0);
  (void)sys::Prctl(PR_SET_SECUREBITS, 0);
  return pid < 0 || back == 0 ? pid : back;
}

Failure NewSlot(Zygote& zygote, const NewSlotRecord& request, int channel) {
  int pair[2];
  SBX_TRY(FailIf(Stage::k_slotClone, sys::SocketPair(SOCK_STREAM, pair)));
  Fd go(pair[0]), wait(pair[1]);
  const long pid = CloneKeeper(zygote, request);
  if (pid == 0) {
    go.reset();
    KeeperStart(zygote, channel, wait.release());
  }
  SBX_TRY(FailIf(Stage::k_slotClone, pid, 1));
  SBX_TRY(MapKeeper(zygote, pid, request));
  return FailIf(Stage::k_slotClone, sys::Write(go.get(), "", 1), 2);
}

void ReapEnded() {
  siginfo_t info;
  do info = {};
  while (sys::WaitId(P_ALL, 0, &info, WEXITED | WNOHANG, nullptr) == 0 && info.si_pid > 0);
}

[[noreturn]] void End(Zygote& zygote) {
  (void)sys::Kill(-1, SIGKILL);  // fails only when nobody is left
  siginfo_t info;
  while (sys::WaitId(P_ALL, 0, &info, WEXITED, nullptr) == 0) continue;
  for (unsigned i = 0; i < zygote.cgroupParentCount; ++i)
    RemoveCgroupTree(zygote.cgroupParents[i].get(), zygote.cgroupName);
  sys::Exit(0);
}

void Serve(Zygote& zygote) {
  struct pollfd polled[2] = {{kChannel, POLLIN, 0}, {zygote.signals.get(), POLLIN, 0}};
  for (;;) {
    if (sys::Ppoll(polled, 2, nullptr) < 0) continue;
    if (polled[1].revents != 0) {
      char discarded[128 * 8];
      (void)sys::Read(zygote.signals.get(), discarded, sizeof(discarded));  // only the news matters
      ReapEnded();
    }
    if (polled[0].revents == 0) continue;
    Received received;
    Receive(kChannel, gMessage, sizeof(gMessage), received);
    if (received.size <= 0) return;
    const auto& request = *reinterpret_cast<const NewSlotRecord*>(gMessage);
    if (received.size != sizeof(request) || received.fdCount != 1 || request.head.kind != Kind::kNewSlot ||
        request.head.version != kRecordVersion)
      continue;
    if (const Failure failure = NewSlot(zygote, request, received.fds[0].get()))
      Report(received.fds[0].get(), failure);
  }
}

}  // namespace

void Report(int channel, const Failure& failure, uint32_t programId) {
  FailedRecord record;
  record.programId = programId;
  record.stage = failure.stage;
  record.index = failure.index;
  record.errorNumber = failure.error;
  (void)Send(channel, &record, sizeof(record), nullptr, 0);  // nobody else to tell
}

[[noreturn]] void HelperMain() {
  OpenFaultTable();
  Zygote zygote;
  zygote.helper.message = gMessage;
  zygote.helper.nice = sys::Nice();
  zygote.helper.programSliceNs = ProgramSliceNs(sys::TickNs());
  (void)sys::Prctl(PR_SET_NAME, (unsigned long)"sbx-zygote");  // a name for people who look at ps
  // What the host ignores (Node: SIGPIPE, SIGXFSZ) stays ignored across exec, down to the program, unless
  // undone here.
  for (int signal = 1; signal <= 64; ++signal) sys::SetSignalHandler(signal, SIG_DFL);
  (void)sys::SetSid();  // fails only for a group leader, which nobody can be who was just cloned
  zygote.signals.reset(sys::SignalFd(1ULL << (SIGCHLD - 1)));
  (void)sys::SignalMask(SIG_SETMASK, 1ULL << (SIGCHLD - 1));
  sys::Umask(0);
  if (const Failure failure = SetUp(zygote)) {
    Report(kChannel, failure);
    sys::Exit(1);
  }
  const ReadyRecord ready;
  (void)Send(kChannel, &ready, sizeof(ready), nullptr, 0);  // a dead host shows as end of file below
  Serve(zygote);
  End(zygote);
}

}  // namespace sbx
