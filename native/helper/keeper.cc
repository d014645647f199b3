// The keeper of a slot: sits in the slot's cgroups (v1, where joining costs milliseconds and being born
// inside costs nothing) and in its user and network namespace, and clones one init after the other, never two
// at once: the next one is made only when the last process of the one before is dead, so what they share (the
// empty network namespace, the counters) is never shared by living sandboxes.

#include <errno.h>
#include <linux/prctl.h>
#include <signal.h>
#include <sys/wait.h>

#include "../common/channel.h"
#include "ipc.h"
#include "network.h"
#include "setup.h"
#include "zygote.h"

namespace sbx {
namespace {

struct Keeper {
  Helper& helper;
  int channel;
  int init = 0;    // pid of the living init, 0 for none
  Fd groupFolder;  // v2: where the next init is born
  IpcNamespace ipc;
  Fd sockets;  // of the slot's network
  Counters counters;
};

// The host is done with this sandbox. Its init has been told as well, by its closed channel; but it could be
// stopped.
void EndInit(Keeper& keeper) {
  if (keeper.init == 0) return;
  (void)sys::Kill(keeper.init, SIGKILL);  // our unreaped child: the number cannot be another's
  siginfo_t info;
  (void)sys::WaitId(P_PID, keeper.init, &info, WEXITED, nullptr);  // cannot fail: it is our child
  keeper.init = 0;
}

Failure TakeGroups(Keeper& keeper, const GroupsRecord& record, Received& received) {
  unsigned next = 0;
  for (unsigned i = 0; i < record.joinCount; ++i, ++next) {
    if (next >= received.fdCount) return {Stage::k_message, 1, EPROTO};
    SBX_TRY(FailIf(Stage::k_cgroupJoin, sys::Write(received.fds[next].get(), "0", 1), i));
  }
  for (unsigned counter = 0; counter < kCounterCount; ++counter) {
    sys::Close(keeper.counters.fds[counter]);
    keeper.counters.fds[counter] = -1;
    if ((record.counterMask >> counter & 1) == 0) continue;
    if (next >= received.fdCount) return {Stage::k_message, 2, EPROTO};
    keeper.counters.fds[counter] = received.fds[next++].release();
  }
  keeper.counters.oomEventfd = record.oomEventfd != 0;
  keeper.groupFolder.reset();
  if (record.hasFolder != 0 && next < received.fdCount)
    keeper.groupFolder = static_cast<Fd&&>(received.fds[next]);
  return {};
}

// Where we are: else the kernel would look for the idlest, and take the one on which the program before has
// just been started.
void StayHere(CpuMask& cpus) {
  unsigned cpu = 0;
  if (sys::Call(SYS_getcpu, &cpu, 0, 0) < 0) return;
  cpus.Read(0);
  (void)cpus.GiveOnly(0, cpu);
}

void LetGo(CpuMask& cpus) {
  if (cpus.bytes == 0) return;
  (void)cpus.Give(0);
  cpus.bytes = 0;
}

// Of what one sandbox after another is born in nothing may tell of the one before.
Failure BeAsNew(Keeper& keeper, const PrepareRecord& request) {
  CollectSockets();
  if ((request.flags & kPrepareLoopback) == 0 && !IsUnused(keeper.sockets))
    SBX_TRY(MakeSlotNetwork(keeper.helper.plan, keeper.sockets));
  return keeper.ipc.BeAsNew();
}

// Whoever waits for the sandbox listens at the other end of its channel, and hears there of a failure.
void CloneInit(Keeper& keeper, const PrepareRecord& request, Fd channel) {
  if (const Failure failure = BeAsNew(keeper, request)) return Report(channel.get(), failure);
  struct clone_args args = {};
  args.flags = CLONE_NEWPID | CLONE_NEWNS;
  args.exit_signal = SIGCHLD;
  if (keeper.groupFolder) {
    args.flags |= CLONE_INTO_CGROUP;
    args.cgroup = (unsigned)keeper.groupFolder.get();
  }
  (void)FilterFor(keeper.helper.plan, request);
  CpuMask& cpus = keeper.helper.cpus;
  if ((request.flags & kPrepareOneCpu) != 0) StayHere(cpus);
  // One that a test makes fail is not made: its child could be ready before the failure is told.
  const int injected = InjectedFault(Stage::k_initClone, 0);
  const long pid = injected == 0 ? sys::Clone3(&args) : -injected;
  if (pid == 0) InitMain(keeper.helper, request, static_cast<Fd&&>(channel), keeper.counters);
  LetGo(cpus);
  if (pid < 0) Report(channel.get(), {Stage::k_initClone, 0, (int32_t)-pid});
  else keeper.init = (int)pid;
}

Failure Handle(Keeper& keeper, Received& received) {
  const char* message = keeper.helper.message;
  const auto& head = *reinterpret_cast<const Head*>(message);
  if (received.truncated || received.size < (long)sizeof(Head) || head.version != kRecordVersion)
    return {Stage::k_message, 0, EPROTO};
  EndInit(keeper);
  if (head.kind == Kind::kGroups && received.size == sizeof(GroupsRecord))
    return TakeGroups(keeper, *reinterpret_cast<const GroupsRecord*>(message), received);
  if (head.kind == Kind::kPrepare && received.size == sizeof(PrepareRecord)) {
    if (received.fdCount == 0) return {Stage::k_message, 4, EPROTO};
    Fd channel = static_cast<Fd&&>(received.fds[0]);
    for (Fd& tree : received.fds) tree.reset();
    const PrepareRecord request = *reinterpret_cast<const PrepareRecord*>(message);
    CloneInit(keeper, request, static_cast<Fd&&>(channel));
    return {};
  }
  return {Stage::k_message, 3, EPROTO};
}

}  // namespace

[[noreturn]] void KeeperMain(Helper& helper, int channel, Fd sockets) {
  (void)sys::Prctl(PR_SET_NAME, (unsigned long)"sbx-keeper");
  Keeper keeper{helper, channel, 0, Fd(), {}, static_cast<Fd&&>(sockets), {}};
  for (int& fd : keeper.counters.fds) fd = -1;
  for (;;) {
    Received received;
    Receive(channel, helper.message, kMessageBytesMax, received);
    if (received.size <= 0) break;
    if (const Failure failure = Handle(keeper, received)) Report(channel, failure);
  }
  EndInit(keeper);
  sys::Exit(0);
}

}  // namespace sbx
