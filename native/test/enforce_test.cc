// When programs are looked at, and what they are killed for. Killing itself is noted only; the clock is the
// machine's, so limits are hours, and what is said of now is between two readings.
#include <sys/eventfd.h>

#include "../helper/init.h"
#include "group_files.h"
#include "test.h"

namespace sbx {

void KillFor(Init&, Program& program, Cause cause) {
  if (program.cause == Cause::kNone) program.cause = cause;
  program.killed = true;
  ++program.maxRssBytes;  // how often
}

}  // namespace sbx

namespace sbx::test {
namespace {

constexpr int64_t kMs = 1'000'000, kHour = 3'600'000 * kMs;

struct Sandbox {
  GroupFiles group;
  Helper helper = {};
  Init init;

  explicit Sandbox(bool v1 = false)
      : group(v1), init{helper, group.counters, {}, Fd(), Programs(group.counters)} {
    group.Write(kCounterCpu, uint64_t{0});
  }
  Program& Add(int pid) {
    Program& program = *init.programs.FindFree();
    program.pid = pid;
    return program;
  }
};

// What EnforceAll says, less the time of the look; `slack` is how long that took.
struct Look {
  int64_t afterNs, slack;
  bool Is(int64_t ns) const { return afterNs >= ns && afterNs <= ns + slack; }
};
Look Enforced(Init& init) {
  const int64_t before = sys::MonotonicNs(), next = EnforceAll(init);
  return {next - before, sys::MonotonicNs() - before};
}

TEST("a program's clock starts now, and its CPU time is looked at when all its CPUs can have used it up") {
  Program program;
  program.cpuLimitNs = 1000;
  program.cpuCount = 4;
  StartClocks(program, 50);
  EXPECT_EQ(program.startNs, 50);
  EXPECT_EQ(program.nextCpuLookNs, 300);
  program.cpuLimitNs = UINT64_MAX;
  program.cpuCount = 1;
  StartClocks(program, 50);
  EXPECT_EQ(program.nextCpuLookNs, kForeverNs);
}

TEST("without limits nobody looks, nor at places that are free and programs that have ended") {
  Sandbox sandbox;
  Program &program = sandbox.Add(2), &ended = sandbox.Add(3), &gone = sandbox.Add(4);
  for (Program* each : {&ended, &gone}) each->wallLimitNs = 1;
  ended.exited = true;
  gone.pid = 0;
  EXPECT_EQ(EnforceAll(sandbox.init), kForeverNs);
  EXPECT(!program.killed && !ended.killed && !gone.killed);
}

TEST("wall time is from the start to the limit, and what is over it is killed until it is gone") {
  Sandbox sandbox;
  Program& program = sandbox.Add(2);
  program.wallLimitNs = (uint64_t)kHour;
  program.startNs = sys::MonotonicNs() - kHour / 2;
  EXPECT_EQ(EnforceAll(sandbox.init), program.startNs + kHour);
  EXPECT(!program.killed);
  program.startNs -= kHour;
  for (unsigned times = 1; times <= 3; ++times) {
    EXPECT(Enforced(sandbox.init).Is(5 * kMs));
    EXPECT(program.killed && program.cause == Cause::kWallLimit);
    EXPECT_EQ(program.maxRssBytes, times);
  }
  program.startNs += 10 * kHour;  // killed is killed
  EXPECT(Enforced(sandbox.init).Is(5 * kMs));
  EXPECT_EQ(program.maxRssBytes, 4u);
}

TEST("CPU time is used up at the limit, and looked at when all CPUs can have used the rest") {
  Sandbox sandbox;
  Program& program = sandbox.Add(2);
  program.cpuLimitNs = (uint64_t)kHour;
  program.cpuCount = 2;
  sandbox.group.Write(kCounterCpu, (uint64_t)(kHour - 200 * kMs));
  EXPECT(Enforced(sandbox.init).Is(100 * kMs));
  EXPECT(!program.killed);
  sandbox.group.Write(kCounterCpu, (uint64_t)kHour);
  program.nextCpuLookNs = sys::MonotonicNs() + kHour;  // it is not time yet
  EXPECT_EQ(EnforceAll(sandbox.init), program.nextCpuLookNs);
  EXPECT(!program.killed);
  program.nextCpuLookNs = 0;
  sandbox.group.Write(kCounterCpu, (uint64_t)kHour - 1);
  EXPECT(Enforced(sandbox.init).Is(300'000) && !program.killed);  // two looks are so far apart
  program.nextCpuLookNs = 0;
  sandbox.group.Write(kCounterCpu, "no number");
  EXPECT(Enforced(sandbox.init).Is(10 * kMs) && !program.killed);
  program.nextCpuLookNs = 0;
  sandbox.group.Write(kCounterCpu, (uint64_t)kHour);
  EXPECT(Enforced(sandbox.init).Is(5 * kMs));
  EXPECT(program.killed && program.cause == Cause::kCpuLimit);
}

TEST("the next look is the soonest of all limits of all programs") {
  Sandbox sandbox;
  Program &first = sandbox.Add(2), &second = sandbox.Add(3);
  const int64_t now = sys::MonotonicNs();
  for (Program* each : {&first, &second}) {
    each->startNs = now;
    each->wallLimitNs = (uint64_t)kHour;
    each->cpuLimitNs = 10 * (uint64_t)kHour;
    each->nextCpuLookNs = now + 2 * kHour;
  }
  EXPECT_EQ(EnforceAll(sandbox.init), now + kHour);
  second.nextCpuLookNs = now + kHour / 2;
  EXPECT_EQ(EnforceAll(sandbox.init), now + kHour / 2);
  first.wallLimitNs = (uint64_t)kHour / 4;
  EXPECT_EQ(EnforceAll(sandbox.init), now + kHour / 4);
}

TEST("a program that loses a process of its own to the kernel is killed for memory") {
  for (const bool v1 : {false, true}) {
    Sandbox sandbox(v1);
    Program& program = sandbox.Add(2);
    program.eventsBase.oomKills = 4;
    Program& gone = sandbox.Add(0);  // its place is free
    sandbox.group.Write(kCounterMemoryEvents, "oom_kill 4\n");
    CheckMemory(sandbox.init);
    EXPECT(!program.killed);
    sandbox.group.Write(kCounterMemoryEvents, "oom_kill 5\n");
    program.exited = true;
    CheckMemory(sandbox.init);
    EXPECT(!program.killed);
    program.exited = false;
    CheckMemory(sandbox.init);
    EXPECT(program.killed && program.cause == Cause::kMemoryLimit && !gone.killed);
  }
}

// A notice of v1, in a group at its bound or not.
struct Notified {
  Sandbox sandbox{true};
  Fd event{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  Program& program = sandbox.Add(2);

  explicit Notified(uint64_t mark) {
    sandbox.group.counters.fds[kCounterOomNotice] = event.get();
    sandbox.group.Write(kCounterMemoryEvents, "oom_kill 0\n");
    sandbox.group.Write(kCounterMemoryLimit, 64 << 20);
    sandbox.group.Write(kCounterMemoryPeak, mark);
    const uint64_t one = 1;
    EXPECT_EQ(write(event.get(), &one, sizeof(one)), (ssize_t)sizeof(one));
  }
};

TEST("with v1 a notice is for the program that has met its bound, and is taken once") {
  Notified full(64 << 20);
  CheckMemory(full.sandbox.init);
  EXPECT(full.program.killed && full.program.cause == Cause::kMemoryLimit);
  EXPECT(!DrainOomNotice(full.sandbox.group.counters));
  full.program.killed = false;
  CheckMemory(full.sandbox.init);
  EXPECT(!full.program.killed && full.program.oomUntilNs == 0);
}

TEST("after a notice to others one is looked at for a while, whether the kernel has killed one of its") {
  Notified free(1 << 20);
  const int64_t before = sys::MonotonicNs();
  CheckMemory(free.sandbox.init);
  const int64_t after = sys::MonotonicNs();
  Program& program = free.program;
  EXPECT(!program.killed);
  EXPECT(program.oomUntilNs >= before + 200 * kMs && program.oomUntilNs <= after + 200 * kMs);
  program.oomUntilNs = before + kHour;
  EXPECT(Enforced(free.sandbox.init).Is(20 * kMs) && !program.killed);
  free.sandbox.group.Write(kCounterMemoryEvents, "oom_kill 1\n");
  EXPECT(Enforced(free.sandbox.init).Is(5 * kMs));
  EXPECT(program.killed && program.cause == Cause::kMemoryLimit);
}

TEST("once that while is over nobody looks any more") {
  Notified free(1 << 20);
  free.sandbox.group.Write(kCounterMemoryEvents, "oom_kill 1\n");
  free.program.oomUntilNs = sys::MonotonicNs() - 1;
  EXPECT_EQ(EnforceAll(free.sandbox.init), kForeverNs);
  EXPECT(!free.program.killed);
}

TEST("a file of notices is read from its start, and does not tell that there are none") {
  Sandbox sandbox;
  sandbox.group.Write(kCounterOomNotice, "max 0\n");
  for (int i = 0; i < 2; ++i) EXPECT(DrainOomNotice(sandbox.group.counters));
}

TEST("a notice is taken when no program is left that it could be for") {
  Notified none(1 << 20);
  none.sandbox.init.programs.Release(none.program);
  CheckMemory(none.sandbox.init);
  EXPECT(!DrainOomNotice(none.sandbox.group.counters));
}

}  // namespace
}  // namespace sbx::test
