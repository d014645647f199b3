// What the programs of a sandbox are told to have used, from the files of groups: here memory files.
#include <unistd.h>

#include "group_files.h"
#include "test.h"

namespace sbx::test {
namespace {

constexpr uint64_t KiB = 1024, MiB = 1024 * KiB;

std::string Stat(uint64_t files, uint64_t shared) {
  return "file " + std::to_string(files) + "\nshmem " + std::to_string(shared) + "\nslab_reclaimable 0\n";
}
std::string Events(uint64_t timesFull, uint64_t kills) {
  return "low 0\nmax " + std::to_string(timesFull) + "\noom_kill " + std::to_string(kills) + "\n";
}

Program& Add(Programs& programs, int pid, const GroupFiles* own = nullptr) {
  Program& program = *programs.FindFree();
  program.pid = pid;
  program.id = (uint32_t)pid;
  program.ownGroup = own != nullptr;
  if (own != nullptr) program.counters = own->Copy();
  return program;
}

TEST("CPU time is what the counter of a group has risen by since the start") {
  GroupFiles group;
  group.Write(kCounterCpu, 5000);
  Programs programs(group.counters);
  Program& program = Add(programs, 2);
  programs.TakeBaseline(program, 0);
  group.Write(kCounterCpu, 5700);
  EXPECT_EQ(programs.CpuNs(program), 700u);
  EXPECT_EQ(programs.Account(program).cpuNs, 700u);
  programs.RestartCpu(program, 5600);
  EXPECT_EQ(programs.CpuNs(program), 100u);
  programs.RestartCpu(program, kUnknown);
  EXPECT_EQ(programs.CpuNs(program), 0u);
  group.Write(kCounterCpu, 10);  // never below nothing
  EXPECT_EQ(programs.CpuNs(program), 0u);
  group.Write(kCounterCpu, "no number");
  EXPECT_EQ(programs.CpuNs(program), kUnknown);
}

TEST("what the process that becomes the program has used is the program's, but for a group of its own") {
  GroupFiles group, own;
  group.Write(kCounterCpu, 5000);
  own.Write(kCounterCpu, 1000);
  Programs programs(group.counters);
  Program& resident = Add(programs, 2);
  programs.TakeBaseline(resident, 400);
  EXPECT_EQ(programs.CpuNs(resident), 400u);
  Program& beside = Add(programs, 3, &own);
  programs.TakeBaseline(beside, 400);
  EXPECT_EQ(programs.CpuNs(beside), 0u);
  programs.Release(beside);
}

TEST("the CPU time of a program in the sandbox's group leaves out groups below, living or gone") {
  GroupFiles group, first, second;
  group.Write(kCounterCpu, 0);
  first.Write(kCounterCpu, 0);
  second.Write(kCounterCpu, 0);
  Programs programs(group.counters);
  Program& resident = Add(programs, 2);
  programs.TakeBaseline(resident, 0);
  Program &one = Add(programs, 3, &first), &two = Add(programs, 4, &second);
  group.Write(kCounterCpu, 1000);
  first.Write(kCounterCpu, 300);
  second.Write(kCounterCpu, 200);
  EXPECT_EQ(programs.CpuNs(resident), 500u);
  EXPECT_EQ(programs.CpuNs(one), 300u);
  group.Write(kCounterCpu, 1050);
  first.Write(kCounterCpu, 350);
  programs.RememberCpu(one);
  first.Write(kCounterCpu, "");  // the host has removed the group
  EXPECT_EQ(programs.CpuNs(resident), 500u);
  EXPECT_EQ(programs.CpuNs(one), kUnknown);
  EXPECT_EQ(programs.CpuNs(resident), 500u);
  group.Write(kCounterCpu, 1100);
  second.Write(kCounterCpu, 250);
  EXPECT_EQ(programs.Account(two).cpuNs, 250u);
  second.Write(kCounterCpu, "");
  programs.Release(one);
  programs.Release(two);
  EXPECT_EQ(programs.CpuNs(resident), 500u);
  group.Write(kCounterCpu, 400);  // figures that are a little apart in time
  EXPECT_EQ(programs.CpuNs(resident), 0u);
}

TEST("the CPU time of a process is by its own clock, all of it") {
  const auto now = [] {
    struct timespec time = {};
    EXPECT_EQ(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time), 0);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
  };
  const int64_t before = now(), read = ProcessCpuNs(getpid());
  EXPECT(read >= before && read <= now());
  EXPECT_EQ(ProcessCpuNs(4'194'305), -1);  // above all process numbers
}

TEST("without a counter CPU time is the living main process's, and that of those that were reaped") {
  const GroupFiles none;
  Programs programs(none.counters);
  EXPECT(!programs.HasCpuCounter());
  Program& program = Add(programs, getpid());
  program.reapedCpuNs = 5'000'000'000'000;
  const uint64_t before = (uint64_t)ProcessCpuNs(getpid()), used = programs.CpuNs(program),
                 after = (uint64_t)ProcessCpuNs(getpid());
  EXPECT(used >= program.reapedCpuNs + before && used <= program.reapedCpuNs + after);
  program.exited = true;
  EXPECT_EQ(programs.CpuNs(program), program.reapedCpuNs);
}

TEST("what a reaped process used is of its session's program, or of the only one there can be") {
  const GroupFiles none;
  Programs programs(none.counters);
  Program& first = Add(programs, 20);
  programs.AddReaped(77, 1);  // it has left the session
  EXPECT_EQ(first.reapedCpuNs, 1u);
  Program& second = Add(programs, 30);
  programs.AddReaped(77, 10);
  programs.AddReaped(20, 100);
  programs.AddReaped(30, 1000);
  EXPECT_EQ(first.reapedCpuNs, 101u);
  EXPECT_EQ(second.reapedCpuNs, 1000u);
  programs.Release(second);
  programs.NoteUnlisted();  // processes of the second may live on
  programs.AddReaped(77, 10'000);
  programs.AddReaped(20, 100'000);
  EXPECT_EQ(first.reapedCpuNs, 100'101u);
  programs.NoteNobodyLeft();
  programs.AddReaped(77, 10'000);
  EXPECT_EQ(first.reapedCpuNs, 110'101u);
  programs.Release(first);
  programs.AddReaped(0, 1);  // nobody's: places that are free have no process
  EXPECT_EQ(Add(programs, 40).reapedCpuNs, 0u);
}

TEST("a program's peak of memory is the mark less what its group held before") {
  GroupFiles group, own;
  for (GroupFiles* each : {&group, &own}) {
    each->Write(kCounterMemoryNow, MiB);
    each->Write(kCounterMemoryPeak, 9 * MiB);
  }
  Programs programs(group.counters);
  Program &resident = Add(programs, 2), &beside = Add(programs, 3, &own);
  programs.TakeBaseline(resident, 0);
  programs.TakeBaseline(beside, 0);
  EXPECT_EQ(group.Text(kCounterMemoryPeak).substr(0, 1), "0");  // starts the mark again
  group.Write(kCounterMemoryPeak, 5 * MiB);
  own.Write(kCounterMemoryPeak, 5 * MiB);
  EXPECT_EQ(programs.Account(resident).memoryPeakBytes, 4 * MiB);
  EXPECT_EQ(programs.Account(beside).memoryPeakBytes, 5 * MiB);
  programs.Release(beside);
}

TEST("caches of earlier programs that were dropped at its limit are in a program's peak, others are not") {
  for (const uint64_t held : {4 * MiB, 4 * MiB + 1}) {
    GroupFiles group;
    group.Write(kCounterMemoryNow, held);
    group.Write(kCounterMemoryPeak, held);
    group.Write(kCounterMemoryStat, Stat(3 * MiB, MiB));
    Programs programs(group.counters);
    Program& program = Add(programs, 2);
    program.memoryLimitBytes = 64 * MiB;
    programs.TakeBaseline(program, 0);
    group.Write(kCounterMemoryStat, Stat(MiB + 4096, MiB));  // all of 2 MiB but a page
    group.Write(kCounterMemoryPeak, 64 * MiB - 1);
    EXPECT_EQ(programs.Account(program).memoryPeakBytes, 64 * MiB - 1 - held);
    group.Write(kCounterMemoryPeak, 64 * MiB);
    // A base that no other program has left anything in is not looked at so closely.
    const uint64_t dropped = held > 4 * MiB ? 2 * MiB - 4096 : 0;
    EXPECT_EQ(programs.Account(program).memoryPeakBytes, 64 * MiB - held + dropped);
  }
}

TEST("without a mark a program's peak is the most that was seen, its end included") {
  GroupFiles group;
  group.Write(kCounterMemoryNow, MiB);
  Programs programs(group.counters);
  Program& program = Add(programs, 2);
  programs.TakeBaseline(program, 0);
  group.Write(kCounterMemoryNow, 3 * MiB);
  EXPECT_EQ(programs.MemoryNow(program), 2 * MiB);
  EXPECT_EQ(programs.Account(program).memoryPeakBytes, 2 * MiB);
  program.sampledPeakBytes = 7 * MiB;
  EXPECT_EQ(programs.Account(program).memoryPeakBytes, 7 * MiB);
  group.Write(kCounterMemoryNow, "");
  EXPECT_EQ(programs.Account(program).memoryPeakBytes, kUnknown);
}

TEST("without a group a program's peak is unknown, but for one that was killed for what it held") {
  const GroupFiles none;
  Programs programs(none.counters);
  Program& program = Add(programs, 2);
  programs.TakeBaseline(program, 0);
  program.maxRssBytes = 5 * MiB;
  EXPECT_EQ(programs.Account(program).memoryPeakBytes, kUnknown);
  EXPECT_EQ(programs.Account(program).maxRssBytes, 5 * MiB);
  program.watchedPeakBytes = 4 * MiB;
  EXPECT_EQ(programs.Account(program).memoryPeakBytes, 5 * MiB);
  program.watchedPeakBytes = 6 * MiB;
  EXPECT_EQ(programs.Account(program).memoryPeakBytes, 6 * MiB);
}

// The peak of a program under `limit` that was charged `peak`, after `timesFull` times at its bound, and
// caches of which a MiB is left.
EndedRecord NearLimit(uint64_t limit, uint64_t peak, uint64_t timesFull, uint64_t kills = 0) {
  GroupFiles group;
  group.Write(kCounterMemoryNow, uint64_t{0});
  group.Write(kCounterMemoryPeak, uint64_t{0});
  group.Write(kCounterMemoryLimit, limit);
  group.Write(kCounterMemoryStat, Stat(MiB, 0));
  group.Write(kCounterMemoryEvents, Events(3, 5));
  group.Write(kCounterOomNotice, Events(3, 5));
  Programs programs(group.counters);
  Program& program = Add(programs, 2);
  program.memoryLimitBytes = limit;
  programs.TakeBaseline(program, 0);
  group.Write(kCounterMemoryPeak, peak);
  group.Write(kCounterMemoryEvents, Events(3 + timesFull, 5 + kills));
  group.Write(kCounterOomNotice, Events(3 + timesFull, 5 + kills));
  return programs.Account(program);
}

TEST("caches are looked at where they may be what brought a program near its limit") {
  EXPECT_EQ(NearLimit(64 * MiB, 32 * MiB, 0).fileCacheBytes, kUnknown);
  EXPECT_EQ(NearLimit(64 * MiB, 32 * MiB + 1, 0).fileCacheBytes, MiB);
  EXPECT_EQ(NearLimit(128 * KiB, 65 * KiB, 0).fileCacheBytes, MiB);
  EXPECT_EQ(NearLimit(128 * KiB - 1, 65 * KiB, 0).fileCacheBytes, kUnknown);  // no room for any
  EXPECT_EQ(NearLimit(0, 32 * MiB, 0).fileCacheBytes, kUnknown);
}

TEST("what brought a program over its limit was caches, when it was at its bound and nobody was killed") {
  const uint64_t over = 64 * MiB + 2 * MiB;
  EXPECT_EQ(NearLimit(64 * MiB, over, 1).fileCacheBytes, 2 * MiB);
  EXPECT_EQ(NearLimit(64 * MiB, over, 0).fileCacheBytes, MiB);          // never full
  EXPECT_EQ(NearLimit(64 * MiB, over, 1, 1).fileCacheBytes, MiB);       // killed for it
  EXPECT_EQ(NearLimit(64 * MiB, 64 * MiB + 1, 1).fileCacheBytes, MiB);  // fewer than are left
  EXPECT_EQ(NearLimit(64 * MiB, 60 * MiB, 1).fileCacheBytes, MiB);      // not over
  EXPECT_EQ(NearLimit(64 * MiB, over, 1, 1).oomKillCount, 1u);
  EXPECT_EQ(NearLimit(64 * MiB, over, 1).oomKillCount, 0u);
}

TEST("a group that tells no kills has had none") {
  const GroupFiles none;
  Programs programs(none.counters);
  Program& program = Add(programs, 2);
  programs.TakeBaseline(program, 0);
  EXPECT_EQ(programs.Account(program).oomKillCount, 0u);
}

TEST("a report says who it is of, how that ended, and how long it took") {
  GroupFiles group;
  group.Write(kCounterTaskPeak, 9);
  Programs programs(group.counters);
  Program& program = Add(programs, 2);
  programs.TakeBaseline(program, 0);
  group.Write(kCounterTaskPeak, 12);
  program.waitStatus = 0x0300;
  program.cause = Cause::kWallLimit;
  program.startNs = 1000;
  program.endNs = 4500;
  const EndedRecord record = programs.Account(program);
  EXPECT_EQ(record.programId, 2u);
  EXPECT_EQ(record.waitStatus, 0x0300);
  EXPECT(record.cause == Cause::kWallLimit);
  EXPECT_EQ(record.wallNs, 3500u);
  EXPECT_EQ(record.taskPeakBefore, 9u);
  EXPECT_EQ(record.taskPeak, 12u);
}

TEST("places of programs are found, bounded, and used again") {
  const GroupFiles none;
  Programs programs(none.counters);
  EXPECT(programs.FindByPid(7) == nullptr && programs.FindById(0) == nullptr);
  for (unsigned i = 0; i < kProgramsMax; ++i) Add(programs, 7 + (int)i);
  EXPECT_EQ(programs.alive(), kProgramsMax);
  EXPECT(programs.FindFree() == nullptr);
  Program* first = programs.FindById(7);
  REQUIRE(first != nullptr);
  EXPECT(programs.FindByPid(7) == first && !programs.AnyAhead());
  first->ahead = true;
  EXPECT(programs.AnyAhead());
  first->exited = true;  // from now on another process may have its number
  EXPECT(programs.FindByPid(7) == nullptr && programs.FindById(7) == first);
  programs.Release(*first);
  EXPECT(programs.FindById(7) == nullptr && !programs.AnyAhead());
  EXPECT_EQ(programs.alive(), kProgramsMax - 1);
  EXPECT(programs.FindFree() == first);
}

TEST("a program with a group of its own is found by that, another by the sandbox's") {
  GroupFiles group, own;
  own.Write(kCounterProcs, "");
  Programs programs(group.counters);
  Program &resident = Add(programs, 2), &beside = Add(programs, 3, &own);
  EXPECT(!programs.HasGroup(resident) && programs.HasGroup(beside));
  programs.Release(beside);
}

}  // namespace
}  // namespace sbx::test
