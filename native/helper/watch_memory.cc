// Two kinds of looks, both through the sandbox's own /proc, opened for the look alone (held_memory.h has what
// they read).
//
// The first adds up what the kernel has noted of each process, some 10 µs for each. Pages that several share
// count for each of them, so that the sum can only be too high: below the limit it is enough. Above it comes
// the exact look: proportional shares of anonymous and shared memory, some 100 µs for each process and more
// for large ones, seldom enough to take a small part of a CPU. Time limits are looked at in between.
//
// Not seen: shared memory of files without a name (memfd_create) that no process has mapped, buffers of pipes
// and sockets. docs/limits.md says so, and results name the guarantee in `degraded`.
#include "watch_memory.h"

#include "held_memory.h"
#include "init.h"

namespace sbx {
namespace {

constexpr int64_t kLookFloorNs = 4'000'000, kLookCeilingNs = 20'000'000, kSlowLookCeilingNs = 40'000'000;
// Between two readings of a cgroup that keeps no mark.
constexpr int64_t kSampleNs = 5'000'000;
// A CPU fills new pages at most so fast, with huge ones.
constexpr uint64_t kBytesPerNs = 8;
// A look takes at most such a part of the time.
constexpr int64_t kShareOfTime = 16;

// Time limits are looked at after so many processes of a cheap look.
constexpr unsigned kProcessesAtOnce = 32;
// In a row, before the pause.
constexpr unsigned kExactLooksMax = 6;

uint64_t OwnFilesBytes(const Init& init) {
  const uint64_t now = FilesBytes(init), base = init.watch.filesBase;
  return now > base ? now - base : 0;
}

bool IsWatched(const Init& init, const Program& program) {
  return program.pid != 0 && !program.exited && program.memoryLimitBytes > 0 &&
         init.programs.CountersOf(program).fds[kCounterMemoryLimit] < 0;
}

// Of all programs that are watched: the least limit, and the sum; 0 when none is.
struct Limits {
  uint64_t least = 0, total = 0;
  unsigned cpus = 1;
  bool all = true;  // every living program has one
};

Limits LimitsNow(Init& init) {
  Limits limits;
  for (const Program& program : init.programs) {
    if (program.pid == 0 || program.exited) continue;
    if (!IsWatched(init, program)) {
      limits.all = false;
      continue;
    }
    if (limits.least == 0 || program.memoryLimitBytes < limits.least) limits.least = program.memoryLimitBytes;
    limits.total = Sum(limits.total, program.memoryLimitBytes);
    if (program.cpuCount > limits.cpus) limits.cpus = program.cpuCount;
  }
  return limits;
}

// At least what the sandbox holds.
uint64_t BoundOfAll(Init& init, int proc) {
  uint64_t total = OwnFilesBytes(init);
  unsigned count = 0;
  ForEachProcess(proc, [&](int pid) {
    if (++count % kProcessesAtOnce == 0) (void)EnforceAll(init);
    total = Sum(total, AtMostHeldBy(proc, pid).bytes());
  });
  return total;
}

void KillOver(Init& init, Program& program, uint64_t heldBytes) {
  program.watchedPeakBytes = heldBytes;
  KillFor(init, program, Cause::kMemoryLimit);
}

enum class Found { kEnough, kTooMuch, kUnsure };

// Whether somebody holds too much, whom `kill` ends. With one program all is its. Of several each has its
// session; what has left that is nobody's, and counts only in the total.
Found LookExactly(Init& init, int proc, const Limits& limits, bool kill) {
  Held total, own[kProgramsMax];
  const bool alone = init.programs.alive() <= 1;
  ForEachProcess(proc, [&](int pid) {
    (void)EnforceAll(init);
    const Held held = HeldBy(init, proc, pid);
    total.Add(held);
    const long session = alone ? 0 : sys::Call(SYS_getsid, pid);
    unsigned i = 0;
    for (const Program& program : init.programs) {
      if (session > 0 && program.pid == session) own[i].Add(held);
      ++i;
    }
  });
  // Files that are mapped are in both figures, so the larger one counts: never too much.
  if (const uint64_t files = OwnFilesBytes(init); files > total.sharedBytes) total.sharedBytes = files;
  const bool tooMuchInAll = limits.all && total.bytes() > limits.total;
  bool tooMuch = false;
  unsigned i = 0;
  for (Program& program : init.programs) {
    const uint64_t heldBytes = alone || tooMuchInAll ? total.bytes() : own[i].bytes();
    ++i;
    if (!IsWatched(init, program) || program.killed || heldBytes <= program.memoryLimitBytes) continue;
    tooMuch = true;
    if (kill) KillOver(init, program, heldBytes);
  }
  return tooMuch ? Found::kTooMuch : total.missed ? Found::kUnsure : Found::kEnough;
}

// Each time in a new list of processes. One that forks while the others are looked at was counted as the only
// holder of what its children are then counted for, too: so nobody ends for a single look. In the next one
// those children are there from the start. One that hands its memory on is not always met: so there are more.
void JudgeExactly(Init& init, const Limits& limits) {
  bool suspected = false;
  for (unsigned looks = 0; looks < kExactLooksMax; ++looks) {
    const Fd proc = OpenProc(init);
    const Found found = proc ? LookExactly(init, proc.get(), limits, suspected) : Found::kEnough;
    if (found == Found::kEnough && !suspected) return;
    if (found == Found::kTooMuch && suspected) return;
    suspected = suspected || found == Found::kTooMuch;
  }
}

constexpr int64_t Clamp(int64_t value, int64_t least, int64_t most) {
  return value < least ? least : value > most ? most : value;
}

}  // namespace

Fd OpenProc(const Init& init) {
  const int detached = init.setup.proc.get();
  return Fd(detached >= 0 ? sys::Open(detached, ".", O_RDONLY | O_DIRECTORY)
                          : sys::Open(AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY));
}

void BeginMemoryWatch(Init& init, bool oneShot) {
  if (init.counters.fds[kCounterMemoryLimit] >= 0) return;
  init.watch = {};
  if (oneShot) init.watch.filesBase = FilesBytes(init);
}

int64_t WatchMemory(Init& init) {
  if (init.counters.fds[kCounterMemoryLimit] >= 0) return kForeverNs;
  const Limits limits = LimitsNow(init);
  if (limits.least == 0) return kForeverNs;
  MemoryWatch& watch = init.watch;
  const int64_t begin = sys::MonotonicNs();
  if (begin < watch.nextLookNs) return watch.nextLookNs;
  const Fd proc = OpenProc(init);
  const uint64_t bound = proc ? BoundOfAll(init, proc.get()) : 0;
  int64_t now = sys::MonotonicNs();
  const int64_t room =
      bound < limits.least ? (int64_t)((limits.least - bound) / kBytesPerNs / limits.cpus) : 0;
  const int64_t pause =
      Clamp((now - begin) * kShareOfTime, Clamp(room, kLookFloorNs, kLookCeilingNs), kSlowLookCeilingNs);
  if (bound > limits.least && now >= watch.nextExactLookNs) {
    const int64_t exactBegin = now;
    JudgeExactly(init, limits);
    now = sys::MonotonicNs();
    watch.nextExactLookNs = now + (now - exactBegin) * kShareOfTime;
  }
  return watch.nextLookNs = now + pause;
}

int64_t SampleMemory(Init& init) {
  const int* fds = init.counters.fds;
  if (fds[kCounterMemoryPeak] >= 0 || fds[kCounterMemoryNow] < 0 || init.programs.alive() == 0)
    return kForeverNs;
  const int64_t now = sys::MonotonicNs();
  if (now < init.watch.nextSampleNs) return init.watch.nextSampleNs;
  for (Program& program : init.programs) {
    if (program.pid == 0 || program.exited || program.ahead) continue;
    const uint64_t held = init.programs.MemoryNow(program);
    if (held != kUnknown && held > program.sampledPeakBytes) program.sampledPeakBytes = held;
  }
  return init.watch.nextSampleNs = now + kSampleNs;
}

}  // namespace sbx
