#include "pre_forked_child.h"

#include <errno.h>
#include <linux/prctl.h>
#include <signal.h>
#include <sys/wait.h>

#include "../common/channel.h"

namespace sbx {
namespace {

// Of "clone the program's process", and of "descriptors".
constexpr unsigned kTimerStep = 20, kCloneStep = 21, kSetTimerStep = 22, kPipeStep = 23, kPairStep = 24,
                   kStoreStep = 25;
constexpr unsigned kUnshareStep = 100, kTakeStep = 103, kMoveStep = 104;

// After the start. Init woken at exec would take the CPU from the program, or have another one woken,
// with nothing to do yet; and short programs are over by then.
constexpr uint64_t kTakeOverNs = 2'000'000;

alignas(16) char gStack[32 << 10];

uint64_t TakeOverAfter(const Starting& starting) {
  if ((starting.launch.record->flags & kStartNotify) != 0) return 1;  // the host wants to know
  const Program& program = *starting.program;
  const auto sooner = [](uint64_t limit, uint64_t other) {
    return limit > 0 && limit < other ? limit : other;
  };
  return sooner(
      (uint64_t)(program.nextCpuLookNs - program.startNs), sooner(program.wallLimitNs, kTakeOverNs));
}

// A pipe whose writing end is nothing but a message that waits in a queue: whoever receives it has the only
// descriptor of it.
Failure OpenLeft(Fd& left, Fd& stored) {
  int pipe[2], pair[2];
  SBX_TRY(FailIf(Stage::k_programClone, sys::Call(SYS_pipe2, pipe, O_CLOEXEC), kPipeStep));
  left.reset(pipe[0]);
  const Fd staying(pipe[1]);
  SBX_TRY(FailIf(Stage::k_programClone, sys::SocketPair(SOCK_SEQPACKET, pair), kPairStep));
  stored.reset(pair[0]);
  const Fd sender(pair[1]);
  const int end = staying.get();
  return FailIf(Stage::k_programClone, Send(sender.get(), "", 1, &end, 1), kStoreStep);
}

// None of init's is closed by what follows. Then the stored end, above every number that the program's are
// placed on. Exec closes it for the last one who has it, and such a file goes on the way back to the program:
// after the change of memory, whichever the kernel does first (6.12 closes first).
Failure TakeDescriptorsInChild(const Fd& stored, int& staying) {
  SBX_TRY(FailIf(Stage::k_descriptors, sys::CloseRange(~0U, ~0U, CLOSE_RANGE_UNSHARE), kUnshareStep));
  char byte;
  Received taken;
  Receive(stored.get(), &byte, sizeof(byte), taken, MSG_DONTWAIT);
  if (taken.fdCount != 1)
    return {Stage::k_descriptors, kTakeStep, taken.size < 0 ? (int)-taken.size : EPROTO};
  staying = sys::Fcntl(taken.fds[0].get(), F_DUPFD_CLOEXEC, kProgramFdNumberMax + 1);
  return FailIf(Stage::k_descriptors, staying, kMoveStep);
}

Failure BecomeProgram(const PreForkedChild& child) {
  const Starting& starting = child.starting;
  SBX_TRY(FailIf(Stage::k_programClone, sys::SetTimer(child.timer.get(), (int64_t)TakeOverAfter(starting)),
      kSetTimerStep));
  int staying = -1;
  SBX_TRY(TakeDescriptorsInChild(child.stored, staying));
  return RunInChild(starting.launch, IdentityOf(child.init), staying);
}

void Run(void* argument) {
  auto& self = *static_cast<PreForkedChild*>(argument);
  self.starting.byPreForkedChild = true;
  (void)sys::Prctl(PR_SET_NAME, (unsigned long)"sbx-preforked");  // until it executes
  const Failure session = LeaveSessionInChild();
  do self.heard = Hear(self.init, 0, self.starting);
  while (self.heard == Heard::kHandled);
  Failure& failure = self.starting.failure;
  if (!failure) failure = session;
  if (self.heard == Heard::kStart && !failure) failure = BecomeProgram(self);
  sys::Exit(127);
}

// `running` is 0 a moment before its exec takes other memory.
void AwaitLeft(PreForkedChild& child) {
  child.stored.reset();  // what it has not taken it never will
  struct pollfd left = {child.left.get(), POLLIN, 0};
  while (sys::Ppoll(&left, 1, nullptr) < 0) continue;
}

// A signal of an ended child may be that of an orphan.
bool HasEnded(int pid) {
  siginfo_t info = {};
  (void)sys::WaitId(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT, nullptr);
  return info.si_pid != 0;
}

}  // namespace

Failure MakePreForkedChild(PreForkedChild& child) {
  child.timer.reset(sys::NewTimer());
  SBX_TRY(FailIf(Stage::k_programClone, child.timer.get(), kTimerStep));
  SBX_TRY(OpenLeft(child.left, child.stored));
  child.pid = (int)sys::CloneSharing(gStack + sizeof(gStack), child.running, Run, &child);
  return FailIf(Stage::k_programClone, child.pid, kCloneStep);
}

// The kernel holds the oom_score_adj of processes that share memory at one value, so only now init can go
// back from the 1000 that its program has inherited. Until then both stand there, and init is the smaller.
bool AwaitFirstProgram(PreForkedChild& child) {
  Init& init = child.init;
  const SandboxSetup& setup = init.setup;
  struct pollfd fds[] = {{setup.signals.get(), POLLIN, 0}, {child.timer.get(), POLLIN, 0}};
  while (sys::Ppoll(fds, 2, nullptr) < 0) continue;
  sys::AwaitZero(child.running);
  if (child.heard != Heard::kStart) return false;
  Starting& starting = child.starting;
  if (starting.failure) ReapFailed(child.pid);
  else starting.program->pid = child.pid;
  const bool someEnded = fds[0].revents != 0,
             lives = !starting.failure && !(someEnded && HasEnded(child.pid));
  if (lives) {
    AwaitLeft(child);
    (void)sys::Write(setup.oomScore.get(), "0", 1);
  }
  FinishStart(init, starting);
  // Else it is the loop's, after the activation that may have come.
  if (someEnded && !init.programs.AnyAhead()) (void)ReapAndFinish(init);
  return true;
}

}  // namespace sbx
