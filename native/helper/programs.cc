#include "programs.h"

#include <new>

namespace sbx {
namespace {

// What a group holds before a program, where no other one has left anything in it, is far less.
constexpr uint64_t kLargeBaseBytes = 4 << 20;

// No program holds less by itself: below, no cache of files has room beside it.
constexpr uint64_t kProgramBytesLeast = 128 << 10;

uint64_t Difference(uint64_t now, uint64_t base) {
  if (now == kUnknown || base == kUnknown) return kUnknown;
  return now > base ? now - base : 0;
}

}  // namespace

int64_t ProcessCpuNs(int pid) { return sys::ClockNs((int)((~(unsigned)pid << 3) | 2)); }

Program* Programs::FindFree() {
  if (Program* left = FindByPid(0); left != nullptr) return left;
  return used_ < kProgramsMax ? new (begin() + used_++) Program : nullptr;
}

Program* Programs::FindById(uint32_t id) {
  for (Program& program : *this)
    if (program.pid != 0 && program.id == id) return &program;
  return nullptr;
}

Program* Programs::FindByPid(int pid) {
  for (Program& program : *this)
    if (program.pid == pid && !program.exited) return &program;
  return nullptr;
}

unsigned Programs::alive() const {
  unsigned count = 0;
  for (const Program& program : *this) count += program.pid != 0;
  return count;
}

uint64_t Programs::GroupCpuNs(const Program& program) const {
  if (const uint64_t used = ReadCpuNs(program.counters); used != kUnknown) program.groupCpuNs = used;
  return program.groupCpuNs;
}

void Programs::RememberCpu(const Program& program) const {
  if (program.ownGroup) (void)GroupCpuNs(program);
}

uint64_t Programs::OwnGroupsCpuNs() const {
  uint64_t total = endedOwnGroupsCpuNs_;
  for (const Program& program : *this)
    if (program.pid != 0 && program.ownGroup) total += GroupCpuNs(program);
  return total;
}

uint64_t Programs::RawCpuNs(const Program& program) const {
  const Counters& counters = CountersOf(program);
  if (counters.fds[kCounterCpu] < 0) {
    // Leaves out living children, and those whose parents ignored their end.
    const int64_t main = program.pid != 0 && !program.exited ? ProcessCpuNs(program.pid) : 0;
    return program.reapedCpuNs + (main > 0 ? (uint64_t)main : 0);
  }
  const uint64_t total = ReadCpuNs(counters);
  if (program.ownGroup && total != kUnknown) program.groupCpuNs = total;
  if (program.ownGroup || total == kUnknown) return total;
  const uint64_t others = OwnGroupsCpuNs();
  return total > others ? total - others : 0;
}

void Programs::TakeBaseline(Program& program, uint64_t ownCpuNs) {
  const Counters& counters = CountersOf(program);
  // v1 and new v2 start the mark again; else the host takes a fresh group.
  (void)WriteCounter(counters, kCounterMemoryPeak, "0");
  program.cpuBaseNs = program.ownGroup ? RawCpuNs(program) : Difference(RawCpuNs(program), ownCpuNs);
  program.memoryBase = program.ownGroup ? 0 : ReadNumber(counters, kCounterMemoryNow);
  program.cachesBase =
      program.memoryBase != kUnknown && program.memoryBase > kLargeBaseBytes ? ReadCaches(counters, 0) : 0;
  program.eventsBase = ReadMemoryEvents(counters);
  program.taskBase = ReadNumber(counters, kCounterTaskPeak);
}

void Programs::RestartCpu(Program& program, uint64_t cpuBaseNs) {
  program.cpuBaseNs = cpuBaseNs == kUnknown ? RawCpuNs(program) : cpuBaseNs;
}

bool Programs::AnyAhead() const {
  for (const Program& program : *this)
    if (program.pid != 0 && program.ahead) return true;
  return false;
}

uint64_t Programs::CpuNs(const Program& program) const {
  if (!program.exited) (void)ProcessCpuNs(program.pid);  // books what is running
  return Difference(RawCpuNs(program), program.cpuBaseNs);
}

uint64_t Programs::MemoryNow(const Program& program) const {
  return Difference(ReadNumber(CountersOf(program), kCounterMemoryNow), program.memoryBase);
}

// The mark less what was there before. What the kernel dropped of that to make room is the program's since
// then. Without a mark the most that was seen.
uint64_t Programs::MemoryPeak(const Program& program) const {
  const Counters& counters = CountersOf(program);
  if (counters.fds[kCounterMemoryPeak] < 0) {
    const uint64_t now = MemoryNow(program);
    return now == kUnknown || now > program.sampledPeakBytes ? now : program.sampledPeakBytes;
  }
  const uint64_t mark = ReadNumber(counters, kCounterMemoryPeak), peak = Difference(mark, program.memoryBase);
  if (program.cachesBase == 0 || peak == kUnknown || mark < program.memoryLimitBytes) return peak;
  return peak + Difference(program.cachesBase, ReadCaches(counters, 0));
}

// A program that has been at the bound of its group, and was not killed for it, had caches, which the kernel
// dropped: names many at once, so that hardly any may be left. They, and nothing else, brought its peak above
// its limit, which is a little below the bound. With v1 its mark alone tells that it has been there.
uint64_t Programs::AtLeastDropped(const Program& program, uint64_t peak, uint64_t caches) const {
  const uint64_t over = peak > program.memoryLimitBytes ? peak - program.memoryLimitBytes : 0;
  return over > caches && HasMetBound(CountersOf(program)) ? over : caches;
}

EndedRecord Programs::Account(const Program& program) const {
  const Counters& counters = CountersOf(program);
  EndedRecord record;
  record.programId = program.id;
  record.waitStatus = program.waitStatus;
  record.cause = program.cause;
  record.cpuNs = Difference(RawCpuNs(program), program.cpuBaseNs);
  record.wallNs = (uint64_t)(program.endNs - program.startNs);
  record.memoryPeakBytes = MemoryPeak(program);
  // Near the limit cache may be all that brought it there. Not for each: the file is the dearest of them.
  const bool near = program.memoryLimitBytes >= kProgramBytesLeast && record.memoryPeakBytes != kUnknown &&
                    record.memoryPeakBytes > program.memoryLimitBytes / 2;
  const MemoryEvents events = ReadMemoryEvents(counters);
  const bool wasFull = Difference(events.timesFull, program.eventsBase.timesFull) > 0;
  record.oomKillCount = Difference(events.oomKills, program.eventsBase.oomKills);
  if (record.oomKillCount == kUnknown) record.oomKillCount = 0;
  record.fileCacheBytes = near ? ReadCaches(counters, program.memoryBase) : kUnknown;
  if (near && wasFull && record.oomKillCount == 0)
    record.fileCacheBytes = AtLeastDropped(program, record.memoryPeakBytes, record.fileCacheBytes);
  record.taskPeakBefore = program.taskBase;
  record.taskPeak = ReadNumber(counters, kCounterTaskPeak);
  record.maxRssBytes = program.maxRssBytes;
  if (record.memoryPeakBytes == kUnknown && program.watchedPeakBytes > 0)
    record.memoryPeakBytes =
        program.watchedPeakBytes > program.maxRssBytes ? program.watchedPeakBytes : program.maxRssBytes;
  return record;
}

// Each program leads a session. A process that has left it belongs to the only program there is; beside
// others, or where one of an earlier program may still live, nothing says whose it is.
void Programs::AddReaped(int session, uint64_t cpuNs) {
  const bool isOnly = alive() == 1 && !someUnlisted_;
  Program* owner = nullptr;
  for (Program& program : *this)
    if (program.pid != 0 && (isOnly || program.pid == session)) owner = &program;
  if (owner != nullptr) owner->reapedCpuNs += cpuNs;
}

void Programs::Release(Program& program) {
  if (program.ownGroup) {
    endedOwnGroupsCpuNs_ += GroupCpuNs(program);
    for (const int fd : program.counters.fds) sys::Close(fd);
  }
  program = Program{};
}

}  // namespace sbx
