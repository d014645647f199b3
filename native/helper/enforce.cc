// Time limits, looked at when they can have been passed, and memory that has run out.
#include "init.h"

namespace sbx {
namespace {

constexpr uint64_t kCpuLookFloorNs = 300'000;  // the closest two looks at the CPU time
constexpr int64_t kKillAgainNs = 5'000'000;
// From the notice that memory ran out above a group to the end of the kernel's search for a process to kill.
constexpr int64_t kOomWaitNs = 200'000'000, kOomLookNs = 20'000'000;

bool HasLostProcess(const Init& init, const Program& program) {
  const uint64_t kills = ReadMemoryEvents(init.programs.CountersOf(program)).oomKills;
  return kills != kUnknown && kills > program.eventsBase.oomKills;
}

constexpr int64_t Sooner(int64_t a, int64_t b) { return a < b ? a : b; }

// When to look at this program next; kills it when a limit is passed.
int64_t Enforce(Init& init, Program& program, int64_t now) {
  int64_t next = kForeverNs;
  // Once may not have been enough: a group is read in one piece, and may have grown meanwhile.
  if (program.killed) {
    KillFor(init, program, program.cause);
    return now + kKillAgainNs;
  }
  if (now < program.oomUntilNs) {
    if (HasLostProcess(init, program)) {
      KillFor(init, program, Cause::kMemoryLimit);
      return now + kKillAgainNs;
    }
    next = now + kOomLookNs;
  }
  if (program.wallLimitNs > 0) {
    const int64_t end = After(program.startNs, program.wallLimitNs);
    if (now >= end) {
      KillFor(init, program, Cause::kWallLimit);
      return now + kKillAgainNs;
    }
    next = Sooner(next, end);
  }
  if (program.cpuLimitNs == 0) return next;
  if (now >= program.nextCpuLookNs) {
    const uint64_t used = init.programs.CpuNs(program);
    if (used != kUnknown && used >= program.cpuLimitNs) {
      KillFor(init, program, Cause::kCpuLimit);
      return now + kKillAgainNs;
    }
    // It cannot use more than its CPUs in the meantime.
    const uint64_t left = used == kUnknown ? 10'000'000 : (program.cpuLimitNs - used) / program.cpuCount;
    program.nextCpuLookNs = After(now, left > kCpuLookFloorNs ? left : kCpuLookFloorNs);
  }
  return Sooner(program.nextCpuLookNs, next);
}

}  // namespace

void StartClocks(Program& program, int64_t now) {
  program.startNs = now;
  program.nextCpuLookNs = After(program.startNs, program.cpuLimitNs / program.cpuCount);
}

int64_t EnforceAll(Init& init) {
  int64_t next = kForeverNs;
  const int64_t now = sys::MonotonicNs();
  for (Program& program : init.programs) {
    if (program.pid == 0 || program.exited) continue;
    if (const int64_t look = Enforce(init, program, now); look < next) next = look;
  }
  return next;
}

// With v1 the kernel notifies all groups below the one whose memory has run out, of other sandboxes and
// programs too, when that is a container's or a session's: only one that has met its own bound is to blame.
void CheckMemory(Init& init) {
  bool hasResident = false;
  for (Program& program : init.programs) {
    if (program.pid == 0) continue;
    hasResident = hasResident || !program.ownGroup;
    const Counters& counters = init.programs.CountersOf(program);
    const bool isTold = DrainOomNotice(counters) && counters.oomEventfd;
    if (program.exited) continue;
    if (HasLostProcess(init, program) || (isTold && HasMetBound(counters)))
      KillFor(init, program, Cause::kMemoryLimit);
    else if (isTold) program.oomUntilNs = After(sys::MonotonicNs(), kOomWaitNs);
  }
  if (!hasResident) (void)DrainOomNotice(init.counters);
}

bool DrainOomNotice(const Counters& counters) {
  // An eventfd is emptied; a file stays "changed" for poll until it has been read through this very
  // descriptor.
  uint64_t count;
  if (counters.oomEventfd)
    return sys::Read(counters.fds[kCounterOomNotice], &count, sizeof(count)) == sizeof(count);
  return ReadNumber(counters, kCounterOomNotice), true;
}

}  // namespace sbx
