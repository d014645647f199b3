#include "pre_forked_child.h"

#include <linux/prctl.h>

#include "../common/channel.h"

namespace sbx {
namespace {

constexpr unsigned kTimerStep = 20, kCloneStep = 21, kSetTimerStep = 22;  // of "clone the program's process"

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

Failure BecomeProgram(const PreForkedChild& child) {
  const Starting& starting = child.starting;
  SBX_TRY(FailIf(Stage::k_programClone, sys::SetTimer(child.timer.get(), (int64_t)TakeOverAfter(starting)),
      kSetTimerStep));
  return RunInChild(starting.launch, IdentityOf(child.init), child.staying.get());
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

// Its exec tells `running` first, takes other memory then, and closes descriptors last: so 6.1 does. 6.12
// closes them first, and there a first program that init takes over in that moment stands at init's 0.
void AwaitLeft(PreForkedChild& child) {
  child.staying.reset();  // not ours alone before `running` is 0: until its exec it uses our descriptors
  struct pollfd left = {child.left.get(), POLLIN, 0};
  while (sys::Ppoll(&left, 1, nullptr) < 0) continue;
}

}  // namespace

Failure MakePreForkedChild(PreForkedChild& child) {
  child.timer.reset(sys::NewTimer());
  SBX_TRY(FailIf(Stage::k_programClone, child.timer.get(), kTimerStep));
  SBX_TRY(OpenLaunchPipe(child.left, child.staying));
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
  const bool hasEnded = fds[0].revents != 0;
  if (!hasEnded) {
    AwaitLeft(child);
    (void)sys::Write(setup.oomScore.get(), "0", 1);
  }
  FinishStart(init, starting);
  // Else it is the loop's, after the activation that may have come.
  if (hasEnded && !init.programs.AnyAhead()) (void)ReapAndFinish(init);
  return true;
}

}  // namespace sbx
