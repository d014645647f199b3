// How programs end: by a signal of ours or on their own, then reaped, then swept up after, then reported.
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "../common/folder.h"
#include "init.h"
#include "network.h"
#include "proc_files.h"

namespace sbx {

namespace {

constexpr int kReapsPerRound = 256;
// Between two sweeps after a program: a part of the time that they have taken so far, within these.
constexpr int64_t kSweepPart = 64;
constexpr int64_t kSweepSoonestNs = 100'000, kSweepLatestNs = 5'000'000;

// A program that is being launched beside others is born in the sandbox's group and moves to its own just
// before exec: a sweep for the resident program must not take it along.
Spared LaunchingBeside(Init& init, const Program& program) {
  Spared spared;
  for (const Program& other : init.programs)
    if (other.launching && &other != &program) spared.pids[spared.count++] = other.pid;
  return spared;
}

bool IsDead(int proc, int pid) {
  const char* stat = ReadStat(proc, pid);
  return stat == nullptr || (stat[0] == ' ' && (stat[1] == 'Z' || stat[1] == 'X'));
}

// Returns how many of them live, or are still dying: of one that is dead nobody knows when its parent will
// say so.
unsigned SignalSession(const Init& init, const Program& program, int signal) {
  const Fd proc = OpenProc(init);
  if (!proc) (void)sys::Kill(-program.pid, signal);  // its first process group
  unsigned count = 0;
  (void)ForEachEntry(proc.get(), [&](const sys::FolderEntry& entry) {
    const uint64_t pid = ParseNumber(entry.name);
    if (pid <= 1 || pid > INT32_MAX || sys::Call(SYS_getsid, pid) != program.pid) return 0;
    if (!IsDead(proc.get(), (int)pid) && sys::Kill((int)pid, signal) >= 0) ++count;
    return 0;
  });
  return count;
}

// Of a program beside others.
unsigned SignalOwn(Init& init, const Program& program, int signal) {
  if (!init.programs.HasGroup(program)) return SignalSession(init, program, signal);
  const Counters& counters = init.programs.CountersOf(program);
  return SignalGroup(counters, signal, LaunchingBeside(init, program), init.setup.proc.get());
}

}  // namespace

void Note(Program& program, Cause cause) {
  if (program.cause == Cause::kNone) program.cause = cause;
}

void SignalEverything(Init& init, const Program& program, int signal) {
  if (init.programs.alive() <= 1) (void)sys::Kill(-1, signal);
  else (void)SignalOwn(init, program, signal);
}

void KillFor(Init& init, Program& program, Cause cause) {
  Note(program, cause);
  program.killed = true;
  SignalEverything(init, program, SIGKILL);
  (void)sys::Kill(program.pid, SIGKILL);  // unreaped: it is still the one; a group's list may not show it
}

namespace {

uint64_t CpuNsOf(const struct rusage& usage) {
  const auto ns = [](const struct timeval& time) {
    return (uint64_t)time.tv_sec * 1'000'000'000 + (uint64_t)time.tv_usec * 1000;
  };
  return ns(usage.ru_utime) + ns(usage.ru_stime);
}

// As waitid. Where no cgroup counts, the process is looked at before it is reaped: until then it has a
// session.
bool WaitForOne(Init& init, int options, siginfo_t& info, struct rusage& usage) {
  const bool counts = init.programs.HasCpuCounter();
  const int first = counts ? WEXITED | options : WEXITED | WNOWAIT | options;
  if (sys::WaitId(P_ALL, 0, &info, first, &usage) < 0 || info.si_pid == 0) return false;
  if (counts) return true;
  const int pid = info.si_pid, session = (int)sys::Call(SYS_getsid, pid);
  if (sys::WaitId(P_PID, pid, &info, WEXITED, &usage) < 0) return false;
  init.programs.AddReaped(session, CpuNsOf(usage));
  return true;
}

// Reaps one child, if there is one; false when there is none (left, or just now).
bool ReapOne(Init& init, int options) {
  siginfo_t info = {};
  struct rusage usage = {};
  if (!WaitForOne(init, options, info, usage)) return false;
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

void SweepLater(Program& program, int64_t now) {
  const int64_t wait = (now - program.endNs) / kSweepPart;
  program.nextSweepNs = now + (wait < kSweepSoonestNs     ? kSweepSoonestNs
                                  : wait > kSweepLatestNs ? kSweepLatestNs
                                                          : wait);
}

// Of the only program of the sandbox.
bool KillAll(Init& init, Program& program) {
  // The kernel goes through all processes of the machine for a signal to all of these.
  if (!NobodyIsLeft()) {
    (void)sys::Kill(-1, SIGKILL);
    // Another program may be asked for meanwhile, unless the sandbox ends with this one.
    while (ReapOne(init, init.oneShot ? 0 : WNOHANG)) continue;
    if (!NobodyIsLeft()) return SweepLater(program, sys::MonotonicNs()), false;
  }
  init.programs.NoteNobodyLeft();
  return true;
}

// True when no process of the program is left. Else init looks again later, since others need it meanwhile:
// the kernel takes its time for some (a long system call, an uninterruptible wait), and what they use until
// then belongs to the report. How long that may be is for the host to say, which can do without the report.
bool KillLeftovers(Init& init, Program& program) {
  if (init.programs.alive() <= 1) return KillAll(init, program);
  const int64_t now = sys::MonotonicNs();
  if (now < program.nextSweepNs) return false;
  // No new ones while we look.
  if (program.ownGroup && program.nextSweepNs == 0)
    (void)WriteCounter(program.counters, kCounterTaskLimit, "0");
  if (!init.programs.HasGroup(program)) init.programs.NoteUnlisted();
  if (SignalOwn(init, program, SIGKILL) == 0) return true;
  SweepLater(program, now);
  return false;
}

void Finish(Init& init, Program& program) {
  if (program.launching) SettleLaunch(init, program);
  // The last one takes with it what was left by earlier ones, also when it never started.
  if (program.failed && init.programs.alive() > 1) return init.programs.Release(program);
  if (!KillLeftovers(init, program)) return;
  if (program.failed) return init.programs.Release(program);
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

int64_t SweepAgain(Init& init) {
  int64_t next = kForeverNs;
  for (Program& program : init.programs) {
    if (program.nextSweepNs == 0) continue;
    if (program.nextSweepNs <= sys::MonotonicNs()) Finish(init, program);
    if (program.nextSweepNs > 0 && program.nextSweepNs < next) next = program.nextSweepNs;
  }
  return next;
}

}  // namespace sbx
