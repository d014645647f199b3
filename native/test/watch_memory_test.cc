// Memory where no cgroup bounds it: a /proc made of files, whose processes are what these say. Killing is
// noted by enforce_test.cc.
#include "../helper/watch_memory.h"

#include <signal.h>
#include <sys/wait.h>

#include <fstream>

#include "../helper/init.h"
#include "folders.h"
#include "group_files.h"
#include "test.h"

namespace sbx::test {
namespace {

constexpr uint64_t KiB = 1024, MiB = 1024 * KiB;
constexpr int64_t kMs = 1'000'000;

// What a process says that it holds: in the quick look, and in the exact one.
struct Says {
  uint64_t noted, anonymous, shared = 0, swapped = 0;
  uint64_t tables = 0, threads = 0;  // in both
};

class Sandbox {
 public:
  Sandbox() {
    helper_.plan.workDir = "/tmp";
    init_.setup.proc.reset(open(proc_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    init_.watch.filesBase = UINT64_MAX;  // what is in the machine's own folders is nobody's
  }
  Program& Add(int pid, uint64_t limit) {
    Program& program = *init_.programs.FindFree();
    program.pid = pid;
    program.memoryLimitBytes = limit;
    return program;
  }
  // A process or, "<process>/task/<thread>" being no name here, the number of a thread that stands for one.
  void Process(int pid, const Says& says) {
    const std::string name = std::to_string(pid);
    (void)proc_.Make(name);
    Text(name + "/status", "Name:\tVmPTE\nVmRSS:\t  888888 kB\nRssAnon:\t" + Kib(says.noted) +
                               "RssFile:\t  777777 kB\nRssShmem:\t       0 kB\nVmPTE:\t" + Kib(says.tables) +
                               "VmSwap:\t       0 kB\nThreads:\t" + std::to_string(says.threads) + "\n");
    Text(name + "/smaps_rollup",
        "00400000-7ffff000 ---p 00000000 00:00 0 [rollup]\nRss: 1 kB\nPss_Anon: " + Kib(says.anonymous) +
            "Pss_File:   777777 kB\nPss_Shmem: " + Kib(says.shared) +
            "Swap: 555555 kB\nSwapPss:   " + Kib(says.swapped));
    Parent(pid, 1);
  }
  void Parent(int pid, int parent) {
    Text(std::to_string(pid) + "/stat",
        std::to_string(pid) + " (a ) b) S " + std::to_string(parent) + " 1 1\n");
  }
  // Its main thread has ended: `other` is the one that goes on; there is none when that is `pid`.
  void EndMainThread(int pid, int other) {
    const std::string name = std::to_string(pid);
    Text(name + "/status", "Name:\tended\nThreads:\t1\n");
    (void)unlink(proc_.path(name + "/smaps_rollup").c_str());
    EXPECT(proc_.Make(name + "/task") && proc_.Make(name + "/task/" + name));
    if (other != pid) EXPECT(proc_.Make(name + "/task/" + std::to_string(other)));
  }
  // At any time: as if the last look was long ago.
  int64_t Look() {
    init_.watch.nextLookNs = init_.watch.nextExactLookNs = 0;
    return WatchMemory(init_);
  }
  Init& init() { return init_; }
  GroupFiles group;

 private:
  static std::string Kib(uint64_t bytes) { return "  " + std::to_string(bytes / KiB) + " kB\n"; }
  void Text(const std::string& name, const std::string& text) { std::ofstream(proc_.path(name)) << text; }

  Folder proc_;
  Helper helper_ = {};
  Init init_{helper_, group.counters, {}, Fd(), Programs(group.counters)};
};

TEST("nobody looks where a cgroup bounds the memory, nor without a limit") {
  Sandbox sandbox;
  sandbox.Process(2, {200 * MiB, 200 * MiB});
  Program& program = sandbox.Add(2, 0);
  EXPECT_EQ(sandbox.Look(), kForeverNs);
  program.memoryLimitBytes = 64 * MiB;
  program.exited = true;
  EXPECT_EQ(sandbox.Look(), kForeverNs);
  program.exited = false;
  sandbox.group.Write(kCounterMemoryLimit, 64 * MiB);
  EXPECT_EQ(sandbox.Look(), kForeverNs);
  EXPECT(!program.killed);
}

TEST("looks are as far apart as a program needs to fill what is left, within bounds") {
  Sandbox sandbox;
  Program& program = sandbox.Add(2, 64 * MiB);
  const auto pause = [&](uint64_t held) {
    sandbox.Process(2, {held, held});
    const int64_t before = sys::MonotonicNs(), next = sandbox.Look(), took = sys::MonotonicNs() - before;
    return std::pair(next - before, took);
  };
  // A look under load takes long, and the next one then comes later.
  const auto isWithin = [](std::pair<int64_t, int64_t> seen, int64_t least) {
    return seen.first >= least && seen.first <= least + 17 * seen.second;
  };
  EXPECT(isWithin(pause(64 * MiB), 4 * kMs));
  EXPECT(isWithin(pause(0), 64 * MiB / 8));
  program.cpuCount = 2;
  EXPECT(isWithin(pause(0), 64 * MiB / 16));
  program.memoryLimitBytes = 1024 * MiB;
  EXPECT(isWithin(pause(0), 20 * kMs));
  EXPECT(!program.killed);
  // Not before its time.
  sandbox.Process(2, {2048 * MiB, 2048 * MiB});
  sandbox.init().watch.nextLookNs = sys::MonotonicNs() + 3'600'000 * kMs;
  EXPECT_EQ(WatchMemory(sandbox.init()), sandbox.init().watch.nextLookNs);
  EXPECT(!program.killed);
}

TEST("a program is killed for what is its own, not for pages that it shares or that are of files") {
  Sandbox sandbox;
  Program& program = sandbox.Add(2, 64 * MiB);
  sandbox.Process(2, {60 * MiB, 20 * MiB, 10 * MiB, 2 * MiB});
  sandbox.Process(6, {60 * MiB, 20 * MiB, 12 * MiB});  // its child
  EXPECT(sandbox.Look() != kForeverNs);
  EXPECT(!program.killed);  // 64 MiB in all
  sandbox.Process(6, {60 * MiB, 20 * MiB, 12 * MiB, 1 * KiB});
  (void)sandbox.Look();
  EXPECT(program.killed && program.cause == Cause::kMemoryLimit);
  EXPECT_EQ(program.watchedPeakBytes, 64 * MiB + KiB);
  program.watchedPeakBytes = 0;
  (void)sandbox.Look();  // once
  EXPECT_EQ(program.watchedPeakBytes, 0u);
}

TEST("page tables count, and what the kernel has of each thread") {
  Sandbox sandbox;
  Program& program = sandbox.Add(2, 64 * MiB);
  sandbox.Process(2, {10 * MiB, 10 * MiB, 0, 0, 30 * MiB, 1024});  // 24 KiB each
  (void)sandbox.Look();
  EXPECT(!program.killed);
  sandbox.Process(2, {10 * MiB, 10 * MiB, 0, 0, 30 * MiB, 1025});
  (void)sandbox.Look();
  EXPECT(program.killed);
  EXPECT_EQ(program.watchedPeakBytes, 64 * MiB + 24 * KiB);
}

TEST("the exact look comes when the quick one allows for too much, and not again too soon") {
  Sandbox sandbox;
  Program& program = sandbox.Add(2, 64 * MiB);
  sandbox.Process(2, {64 * MiB, 100 * MiB});  // at the limit is within
  (void)sandbox.Look();
  EXPECT(!program.killed);
  sandbox.Process(2, {64 * MiB + 4096, 100 * MiB});
  sandbox.init().watch.nextLookNs = 0;
  sandbox.init().watch.nextExactLookNs = sys::MonotonicNs() + 3'600'000 * kMs;
  (void)WatchMemory(sandbox.init());
  EXPECT(!program.killed);
  (void)sandbox.Look();
  EXPECT(program.killed);
}

TEST("init's memory is no program's, nor that of a parent which a child has borrowed") {
  Sandbox sandbox;
  Program& program = sandbox.Add(2, 64 * MiB);
  sandbox.Process(1, {100 * MiB, 100 * MiB});
  sandbox.Process(2, {40 * MiB, 40 * MiB});
  sandbox.Process(7, {0, 0});
  sandbox.EndMainThread(7, 7);  // it has ended, and waits for its parent
  (void)sandbox.Look();
  EXPECT(!program.killed);
  const int self = getpid();  // of one memory with itself
  sandbox.Process(self, {40 * MiB, 40 * MiB});
  sandbox.Parent(self, self);
  (void)sandbox.Look();
  EXPECT(!program.killed);
  sandbox.Parent(self, 2);  // of which the kernel knows nothing
  (void)sandbox.Look();
  EXPECT(program.killed);
}

TEST("a process whose main thread has ended has the memory that another thread shows") {
  Sandbox sandbox;
  Program& program = sandbox.Add(2, 64 * MiB);
  sandbox.Process(2, {100 * MiB, 100 * MiB});
  sandbox.EndMainThread(2, 1);
  (void)sandbox.Look();
  EXPECT(!program.killed);  // thread 1 shows nothing
  sandbox.Process(1, {100 * MiB, 100 * MiB});
  (void)sandbox.Look();
  EXPECT(program.killed);
  EXPECT_EQ(program.watchedPeakBytes, 100 * MiB);
}

// A process that leads a session of its own until it is let go.
class Leader {
 public:
  Leader() : pid(fork()) {
    if (pid == 0) {
      (void)setsid();
      for (;;) pause();
    }
    while (getsid(pid) != pid) sched_yield();
  }
  ~Leader() {
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, nullptr, 0);
  }
  const pid_t pid;
};

TEST("of several programs each is killed for its own session, and all when together they have too much") {
  const Leader first, second;
  for (const bool stray : {false, true}) {
    Sandbox sandbox;
    Program &one = sandbox.Add(first.pid, 64 * MiB), &two = sandbox.Add(second.pid, 32 * MiB);
    sandbox.Process(first.pid, {60 * MiB, 60 * MiB});
    sandbox.Process(second.pid, {33 * MiB, 30 * MiB, 3 * MiB});
    if (stray) sandbox.Process(4, {4 * MiB, 4 * MiB});  // has left its session
    (void)sandbox.Look();
    EXPECT_EQ(one.killed, stray);
    EXPECT(two.killed);
    EXPECT_EQ(two.watchedPeakBytes, stray ? 97 * MiB : 33 * MiB);
  }
}

TEST("beside a program without a limit nobody answers for the sum, and the least limit is looked at") {
  const Leader first, second;
  Sandbox sandbox;
  Program &one = sandbox.Add(first.pid, 64 * MiB), &free = sandbox.Add(second.pid, 0);
  sandbox.Process(first.pid, {60 * MiB, 60 * MiB});
  sandbox.Process(second.pid, {500 * MiB, 500 * MiB});
  (void)sandbox.Look();
  EXPECT(!one.killed && !free.killed);
  sandbox.Process(first.pid, {65 * MiB, 65 * MiB});
  (void)sandbox.Look();
  EXPECT(one.killed && !free.killed);
}

TEST("where a cgroup keeps no mark, the most that it held is noted for programs that run") {
  Sandbox sandbox;
  EXPECT_EQ(SampleMemory(sandbox.init()), kForeverNs);  // no group
  Program& program = sandbox.Add(2, 0);
  EXPECT_EQ(SampleMemory(sandbox.init()), kForeverNs);
  const auto sample = [&](uint64_t held) {
    sandbox.group.Write(kCounterMemoryNow, held);
    sandbox.init().watch.nextSampleNs = 0;
    const int64_t before = sys::MonotonicNs(), next = SampleMemory(sandbox.init());
    EXPECT(next >= before + 5 * kMs && next <= sys::MonotonicNs() + 5 * kMs);
  };
  sample(3 * MiB);
  sample(2 * MiB);
  EXPECT_EQ(program.sampledPeakBytes, 3 * MiB);
  program.ahead = true;
  sample(4 * MiB);
  program.ahead = false;
  program.exited = true;
  sample(4 * MiB);
  EXPECT_EQ(program.sampledPeakBytes, 3 * MiB);
  program.exited = false;
  sandbox.init().watch.nextSampleNs = sys::MonotonicNs() + 3'600'000 * kMs;
  EXPECT_EQ(SampleMemory(sandbox.init()), sandbox.init().watch.nextSampleNs);
  EXPECT_EQ(program.sampledPeakBytes, 3 * MiB);
  sandbox.group.Write(kCounterMemoryPeak, 9 * MiB);
  EXPECT_EQ(SampleMemory(sandbox.init()), kForeverNs);
  sandbox.init().programs.Release(program);
}

}  // namespace
}  // namespace sbx::test
