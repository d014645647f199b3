// Programs that ask and answer each other in turn, each in a sandbox of its own: while one works the other
// sleeps, so one CPU is as good for them as two, and better. On two, each line wakes a CPU that has gone
// idle, which takes a virtual one ten times as long as the answer. The kernel leaves them on one CPU once
// they are there and the others have slept for a while, but it does not bring them together. We do, for a
// moment now and then, and less often where that costs the program CPU time: then the others work while it
// does.
#include "../common/folder.h"
#include "../common/text.h"
#include "counters.h"
#include "init.h"
#include "proc_files.h"

namespace sbx {
namespace {

constexpr int64_t kApartNs = 10'000'000;
constexpr int64_t kTogetherNs = 20'000'000;
constexpr int64_t kAloneNs = 500'000'000;  // after it had less together than apart
// Parts of one CPU in thousands: less is no conversation, more is work of its own.
constexpr int64_t kLeastCpu = 20, kMostCpu = 800;
// Who asks and answers sleeps after every line. Who sleeps less often than this has nothing to win, or works
// all the time on a machine that has little CPU time left for it.
constexpr int64_t kSleepEveryNs = 2'000'000;
// What is made meanwhile begins on that CPU, and must be let go as well.
constexpr unsigned kTasksMax = 16;
constexpr unsigned kLetGoMax = 256;  // limits are not looked at meanwhile

// `work(id)` for every task of the sandbox but our own.
template <class Work>
void ForEachTask(Work work) {
  Fd proc(sys::Open(AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY));
  (void)ForEachEntry(proc.get(), [&](const sys::FolderEntry& process) {
    if (const uint64_t pid = ParseNumber(process.name); pid == kUnknown || pid == 1) return 0;
    Text<32> path;
    path << process.name << "/task";
    Fd tasks(sys::Open(proc.get(), path.text(), O_RDONLY | O_DIRECTORY));
    (void)ForEachEntry(tasks.get(), [&](const sys::FolderEntry& task) {
      if (const uint64_t id = ParseNumber(task.name); id != kUnknown) work(id);
      return 0;
    });
    return 0;
  });
}

// The same for all that have the same mask, whatever it is; -1 when there is only one anyway.
int MeetingPlace(const Turns& turns) {
  unsigned count = 0;  // none when the mask is not told
  for (long i = 0; i < turns.cpus.bytes / 8; ++i)
    for (uint64_t left = turns.cpus.bits[i]; left != 0; left &= left - 1) ++count;
  if (count < 2) return -1;
  unsigned before = turns.number % count;
  for (int cpu = 0;; ++cpu)
    if ((turns.cpus.bits[cpu / 64] >> cpu % 64 & 1) != 0 && before-- == 0) return cpu;
}

// Only its first thread: others may be there to work beside it.
bool Meet(Turns& turns, int pid) {
  unsigned tasks = 0;
  ForEachTask([&](uint64_t) { ++tasks; });
  if (tasks == 0 || tasks > kTasksMax) return false;
  turns.cpus.Read(pid);
  const int cpu = MeetingPlace(turns);
  return cpu >= 0 && turns.cpus.GiveOnly(pid, (unsigned)cpu);
}

// Who makes hundreds in 20 ms has some that stay where they began.
void LetGo(const Turns& turns) {
  unsigned count = 0;
  ForEachTask([&](uint64_t id) {
    if (++count <= kLetGoMax) (void)turns.cpus.Give((int)id);
  });
}

// How often the program's first thread went to sleep of its own accord; kUnknown where /proc does not say.
uint64_t Sleeps(int pid) {
  Text<32> path;
  path << "/proc/" << (uint64_t)pid << "/status";
  return FindNumber(ReadProcFile(AT_FDCWD, path.text()), "voluntary_ctxt_switches:\t");
}

// Decides what comes next, and says for how long. A look may be late: what counts is per time that went by.
int64_t Turn(Turns& turns, int pid, int64_t nowNs) {
  const int64_t elapsedNs = nowNs - turns.lookedNs, usedNs = ProcessCpuNs(pid);
  const uint64_t sleeps = Sleeps(pid);
  const int64_t cpu = (usedNs - turns.usedNs) / (elapsedNs / 1000 + 1);
  const bool sleepsOften =
      sleeps != kUnknown && sleeps - turns.sleeps >= (uint64_t)(elapsedNs / kSleepEveryNs);
  turns.lookedNs = nowNs;
  turns.usedNs = usedNs;
  turns.sleeps = sleeps;
  if (turns.together) {
    turns.together = false;
    LetGo(turns);
    return cpu < turns.apartCpu * 8 / 10 ? kAloneNs : kApartNs;
  }
  turns.apartCpu = cpu;
  turns.together = cpu >= kLeastCpu && cpu <= kMostCpu && sleepsOften && Meet(turns, pid);
  return turns.together ? kTogetherNs : kApartNs;
}

}  // namespace

int64_t MeetOthers(Init& init) {
  Turns& turns = init.turns;
  if (turns.number == 0) return kForeverNs;
  const Program& program = *init.programs.begin();  // of a one-shot run, the only one
  if (program.pid == 0 || program.exited) return kForeverNs;
  const int64_t now = sys::MonotonicNs();
  if (now >= turns.nextNs) turns.nextNs = now + Turn(turns, program.pid, now);
  return turns.nextNs;
}

}  // namespace sbx
