// How programs end: by a signal of ours or on their own, then reaped, then swept up after, then reported.
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "init.h"
#include "network.h"

namespace sbx {

namespace {

constexpr int64_t kSweepNs = 500'000'000;
constexpr int kReapsPerRound = 256;

// A program that is being launched beside others is born in the sandbox's group and moves to its own just
// before exec: a sweep for the resident program must not take it along.
Spared LaunchingBeside(Init& init, const Program& program) {
  Spared spared;
  for (const Program& other : init.programs)
    if (other.launching && &other != &program) spared.pids[spared.count++] = other.pid;
  return spared;
}

}  // namespace

void Note(Program& program, Cause cause) {
  if (program.cause == Cause::kNone) program.cause = cause;
}

void SignalEverything(Init& init, const Program& program, int signal) {
  if (init.programs.alive() <= 1) (void)sys::Kill(-1, signal);
  else if (init.programs.HasGroup(program))
    (void)SignalGroup(
        init.programs.CountersOf(program), signal, LaunchingBeside(init, program), init.setup.proc.get());
  else (void)sys::Kill(-program.pid, signal);
}

void KillFor(Init& init, Program& program, Cause cause) {
  Note(program, cause);
  program.killed = true;
  SignalEverything(init, program, SIGKILL);
  (void)sys::Kill(program.pid, SIGKILL);  // unreaped: it is still the one; a group's list may not show it
}

namespace {

// Reaps one child, if there is one; false when there is none (left, or just now).
bool ReapOne(Init& init, int options) {
  siginfo_t info = {};
  struct rusage usage = {};
  if (sys::WaitId(P_ALL, 0, &info, WEXITED | options, &usage) < 0 || info.si_pid == 0) return false;
  Program* program = init.programs.FindByPid(info.si_pid);
  if (program == nullptr) return true;
  program->exited = true;
  program->endNs = sys::MonotonicNs();
  program->maxRssBytes = (uint64_t)usage.ru_maxrss * 1024;
  // As wait(2) gives it: the exit code in the second byte, or the signal in the first, 0x80 for a core dump.
  program->waitStatus = info.si_code == CLD_EXITED ? (info.si_status & 0xff) << 8
                                                   : info.si_status | (info.si_code == CLD_DUMPED ? 0x80 : 0);
  return true;
}

// Every process in here descends from us, and an orphan becomes our child before its parent can be reaped.
bool NobodyIsLeft() {
  siginfo_t info;
  return sys::WaitId(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL, nullptr) == -ECHILD;
}

// After this no process of the program is left, unless the kernel cannot kill it in time (a process in an
// uninterruptible wait): init must not wait for that, it has others to look after, and the end of the sandbox
// will get it.
void KillLeftovers(Init& init, const Program& program) {
  if (init.programs.alive() <= 1) {
    // The kernel goes through all processes of the machine for a signal to all of these.
    if (NobodyIsLeft()) return;
    (void)sys::Kill(-1, SIGKILL);
    while (ReapOne(init, 0)) continue;
    return;
  }
  if (!init.programs.HasGroup(program)) {
    (void)sys::Kill(-program.pid, SIGKILL);
    return;
  }
  const Counters& counters = init.programs.CountersOf(program);
  if (program.ownGroup) (void)WriteCounter(counters, kCounterTaskLimit, "0");  // no new ones while we look
  const int64_t end = sys::MonotonicNs() + kSweepNs;
  while (SignalGroup(counters, SIGKILL, LaunchingBeside(init, program), init.setup.proc.get()) > 0 &&
         sys::MonotonicNs() < end) {
    while (ReapOne(init, WNOHANG)) continue;
    sys::SleepNs(100'000);
  }
}

void Finish(Init& init, Program& program) {
  if (program.launching) SettleLaunch(init, program);
  if (program.failed) return init.programs.Release(program);
  KillLeftovers(init, program);
  if (!init.oneShot) CollectSockets();  // else our own end has it done
  SendEnded(init, init.programs.Account(program));
  init.programs.Release(program);
  if (init.oneShot) sys::Exit(0);
}

}  // namespace

bool ReapAndFinish(Init& init) {
  // A storm of orphans must not keep us from the limits: the rest waits for the next round.
  int count = 0;
  while (count < kReapsPerRound && ReapOne(init, WNOHANG)) ++count;
  for (Program& program : init.programs)
    if (program.pid != 0 && program.exited) Finish(init, program);
  return count == kReapsPerRound;
}

}  // namespace sbx
