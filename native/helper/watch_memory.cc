// Two kinds of looks, both through the sandbox's own /proc, opened for the look alone.
//
// The first adds up the resident pages of each process: some 3 µs for each. Pages that several share count
// for each of them, and so do pages of files, so that the sum can only be too high: below the limit it is
// enough. Above it comes the exact look: proportional shares (smaps_rollup) of anonymous and shared memory,
// some 100 µs for each process and more for large ones, seldom enough to take a small part of a CPU. A
// process that borrows the memory of its parent (vfork) is that parent, and not counted twice.
//
// Not seen: shared memory that no process has mapped, buffers of pipes and sockets, page tables, what is
// swapped out until the exact look. docs/limits.md says so, and results name the guarantee in `degraded`.
#include "watch_memory.h"

#include <errno.h>
#include <sys/statfs.h>

#include "../common/text.h"
#include "init.h"
#include "proc_files.h"

namespace sbx {
namespace {

constexpr uint64_t kPageBytes = 4096;
constexpr int64_t kLookFloorNs = 4'000'000, kLookCeilingNs = 20'000'000, kSlowLookCeilingNs = 40'000'000;
// Between two readings of a cgroup that keeps no mark.
constexpr int64_t kSampleNs = 5'000'000;
// A CPU fills new pages at most so fast, with huge ones.
constexpr uint64_t kBytesPerNs = 8;
// A look takes at most such a part of the time.
constexpr int64_t kShareOfTime = 16;

uint64_t Sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

const char* AfterSpaces(const char* text) {
  while (*text == ' ') ++text;
  return text;
}

// The word with this number, words being parted by single spaces; "" when there are fewer.
const char* Word(const char* text, unsigned number) {
  for (; number > 0 && *text != '\0'; ++text) number -= *text == ' ';
  return text;
}

// Calls `take` with each number among the names of a folder.
template <class Take>
void ForEachNumber(int folder, char* buffer, size_t bufferBytes, Take take) {
  for (;;) {
    const long size = sys::GetDents(folder, buffer, bufferBytes);
    if (size <= 0) return;
    for (long at = 0; at < size;) {
      const auto& entry = *reinterpret_cast<const sys::FolderEntry*>(buffer + at);
      if (entry.size == 0) return;
      const uint64_t number = ParseNumber(entry.name);
      if (number != kUnknown && number <= INT32_MAX) take((int)number);
      at += entry.size;
    }
  }
}

// Every process but init.
template <class Take>
void ForEachProcess(int proc, Take take) {
  alignas(sys::FolderEntry) static char buffer[8192];
  ForEachNumber(proc, buffer, sizeof(buffer), [&](int pid) {
    if (pid > 1) take(pid);
  });
}

// A thread of the process that is not `pid` itself; 0 when there is none. A main thread that has ended shows
// no memory any more.
int OtherThread(int proc, int pid) {
  alignas(sys::FolderEntry) static char buffer[1024];
  Text<32> path;
  path << (uint64_t)pid << "/task";
  const Fd tasks(sys::Open(proc, path.text(), O_RDONLY | O_DIRECTORY));
  int other = 0;
  if (tasks)
    ForEachNumber(tasks.get(), buffer, sizeof(buffer), [&](int thread) {
      if (thread != pid) other = thread;
    });
  return other;
}

uint64_t ResidentBytes(int proc, int id) {
  Text<32> path;
  path << (uint64_t)id << "/statm";
  const char* text = ReadProcFile(proc, path.text());
  const uint64_t pages = text == nullptr ? kUnknown : ParseNumber(Word(text, 1));
  return pages > UINT64_MAX / kPageBytes ? 0 : pages * kPageBytes;  // kUnknown is more, too
}

// The number behind `key` at the start of a line, in KiB; 0 without one.
uint64_t Field(const char* text, const char* key) {
  const char* value = FindText(text, key);
  const uint64_t kib = value == nullptr ? kUnknown : ParseNumber(AfterSpaces(value));
  return kib > UINT64_MAX / 1024 ? 0 : kib * 1024;  // kUnknown is more, too
}

struct Share {
  uint64_t privateBytes = 0, sharedBytes = 0;
};

Share ShareOf(int proc, int pid) {
  for (int id = pid; id != 0; id = id == pid ? OtherThread(proc, pid) : 0) {
    Text<64> path;
    path << (uint64_t)id << "/smaps_rollup";
    const char* text = ReadProcFile(proc, path.text());
    if (text != nullptr)
      return {Sum(Field(text, "Pss_Anon:"), Field(text, "SwapPss:")), Field(text, "Pss_Shmem:")};
  }
  return {};
}

// 0 when it is not told.
int ParentOf(int proc, int pid) {
  const char* stat = ReadStat(proc, pid);
  const uint64_t parent = stat == nullptr ? kUnknown : ParseNumber(Word(stat, 2));
  return parent <= INT32_MAX ? (int)parent : 0;
}

// The call is refused without the key (common/launch_key.h).
bool BorrowsFromParent(const Init& init, int proc, int pid) {
  constexpr int kCompareMemory = 1;  // KCMP_VM
  const LaunchKey& key = init.helper.plan.launchKey;
  const int parent = ParentOf(proc, pid);
  return parent > 1 && sys::Call(SYS_kcmp, pid, parent, kCompareMemory, key.first(), key.second()) == 0;
}

uint64_t FilesBytes(const char* folder) {
  struct statfs status = {};
  if (sys::Call(SYS_statfs, folder, &status) < 0 || status.f_bfree > status.f_blocks) return 0;
  return (uint64_t)(status.f_blocks - status.f_bfree) * (uint64_t)status.f_bsize;
}

// In the file systems that every sandbox has, which are in memory.
uint64_t AllFilesBytes(const Init& init) {
  return Sum(Sum(FilesBytes(init.helper.plan.workDir), FilesBytes("/tmp")), FilesBytes("/dev/shm"));
}

uint64_t OwnFilesBytes(const Init& init) {
  const uint64_t now = AllFilesBytes(init), base = init.watch.filesBase;
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
uint64_t BoundOfAll(const Init& init, int proc) {
  uint64_t total = OwnFilesBytes(init);
  ForEachProcess(proc, [&](int pid) {
    uint64_t resident = ResidentBytes(proc, pid);
    if (resident == 0)
      if (const int thread = OtherThread(proc, pid); thread != 0) resident = ResidentBytes(proc, thread);
    total = Sum(total, resident);
  });
  return total;
}

void KillOver(Init& init, Program& program, uint64_t heldBytes) {
  program.watchedPeakBytes = heldBytes;
  KillFor(init, program, Cause::kMemoryLimit);
}

// With one program all is its. Of several each has its session; what has left that is nobody's, and counts
// only in the total.
void LookExactly(Init& init, int proc, const Limits& limits) {
  Share total, own[kProgramsMax];
  const auto held = [](const Share& share) { return Sum(share.privateBytes, share.sharedBytes); };
  const bool alone = init.programs.alive() <= 1;
  ForEachProcess(proc, [&](int pid) {
    if (BorrowsFromParent(init, proc, pid)) return;
    const Share share = ShareOf(proc, pid);
    total = {Sum(total.privateBytes, share.privateBytes), Sum(total.sharedBytes, share.sharedBytes)};
    const long session = alone ? 0 : sys::Call(SYS_getsid, pid);
    unsigned i = 0;
    for (const Program& program : init.programs) {
      if (session > 0 && program.pid == session)
        own[i] = {Sum(own[i].privateBytes, share.privateBytes), Sum(own[i].sharedBytes, share.sharedBytes)};
      ++i;
    }
  });
  // Files that are mapped are in both figures, so the larger one counts: never too much.
  if (const uint64_t files = OwnFilesBytes(init); files > total.sharedBytes) total.sharedBytes = files;
  const bool tooMuchInAll = limits.all && held(total) > limits.total;
  unsigned i = 0;
  for (Program& program : init.programs) {
    const uint64_t heldBytes = alone || tooMuchInAll ? held(total) : held(own[i]);
    ++i;
    if (IsWatched(init, program) && !program.killed && heldBytes > program.memoryLimitBytes)
      KillOver(init, program, heldBytes);
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
  if (oneShot) init.watch.filesBase = AllFilesBytes(init);
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
    // A new list of the same folder.
    if (const Fd again = OpenProc(init)) LookExactly(init, again.get(), limits);
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
