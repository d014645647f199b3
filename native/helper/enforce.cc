// Time limits, looked at when they can have been passed, and memory that has run out.
#include "init.h"

namespace sbx {
namespace {

constexpr uint64_t kCpuLookFloorNs = 300'000;  // the closest two looks at the CPU time
constexpr int64_t kKillAgainNs = 5'000'000;

// When to look at this program next; kills it when a limit is passed.
int64_t Enforce(Init& init, Program& program, int64_t now) {
  int64_t next = kForeverNs;
  // Once may not have been enough: a group is read in one piece, and may have grown meanwhile.
  if (program.killed) {
    KillFor(init, program, program.cause);
    return now + kKillAgainNs;
  }
  if (program.wallLimitNs > 0) {
    const int64_t end = After(program.startNs, program.wallLimitNs);
    if (now >= end) {
      KillFor(init, program, Cause::kWallLimit);
      return now + kKillAgainNs;
    }
    next = end;
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
  return program.nextCpuLookNs < next ? program.nextCpuLookNs : next;
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

void CheckMemory(Init& init) {
  for (Program& program : init.programs) {
    if (program.pid == 0 || program.exited) continue;
    const Counters& counters = init.programs.CountersOf(program);
    if (counters.oomEventfd) {
      uint64_t count;
      if (sys::Read(counters.fds[kCounterOomNotice], &count, sizeof(count)) == sizeof(count))
        KillFor(init, program, Cause::kMemoryLimit);
      continue;
    }
    DrainOomNotice(counters);
    const uint64_t kills = ReadMemoryEvents(counters).oomKills;
    if (kills != kUnknown && kills > program.eventsBase.oomKills) KillFor(init, program, Cause::kMemoryLimit);
  }
}

void DrainOomNotice(const Counters& counters) {
  // An eventfd is emptied; a file stays "changed" for poll until it has been read through this very
  // descriptor.
  uint64_t count;
  if (counters.oomEventfd) (void)sys::Read(counters.fds[kCounterOomNotice], &count, sizeof(count));
  else (void)ReadNumber(counters, kCounterOomNotice);
}

}  // namespace sbx
