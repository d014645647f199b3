// The living programs of one sandbox: their limits, and what they have used.
#pragma once

#include "../common/fd.h"
#include "counters.h"

namespace sbx {

// CPU time of one process by its own clock, -1 without one. Reading it also books what its running threads
// have not been charged yet.
int64_t ProcessCpuNs(int pid);

struct Program {
  uint32_t id = 0;
  int pid = 0;  // 0: this place is free
  bool ownGroup = false;
  bool exited = false;  // main process reaped; the report is due
  bool killed = false;  // by us, all of it
  int waitStatus = 0;
  Cause cause = Cause::kNone;
  int64_t startNs = 0, endNs = 0, nextCpuLookNs = 0;
  int64_t nextSweepNs = 0;  // processes of it were left after its end: when to kill again and look
  int64_t oomUntilNs = 0;   // memory ran out above its group: until when the kernel may kill one of its
  // Of its processes that init has reaped, and those that they had waited for. For where nothing counts.
  uint64_t reapedCpuNs = 0;
  uint64_t cpuLimitNs = 0, wallLimitNs = 0, memoryLimitBytes = 0;
  uint32_t cpuCount = 1;
  uint64_t cpuBaseNs = 0, memoryBase = 0, taskBase = 0;
  MemoryEvents eventsBase = {};
  // Of memoryBase, where earlier programs of a session left much: it may be dropped for this one.
  uint64_t cachesBase = 0;
  uint64_t maxRssBytes = 0;
  uint64_t watchedPeakBytes = 0;  // held when it was killed for that, where no cgroup counts
  uint64_t sampledPeakBytes = 0;  // the most that was seen, where its cgroup keeps no mark
  Counters counters = {};         // its own, when ownGroup
  // What its own group has used, as far as that was read: the host removes it once it knows of the end.
  mutable uint64_t groupCpuNs = 0;
  Fd held[kProgramFdsMax];  // rows with kFdHold
  Fd launching;             // until exec: how a launch beside others went
  Fd terminal;              // until it is sent with Started
  bool notify = false;      // say Started
  bool ahead = false;       // of its request, which Activate brings
  bool failed = false;      // it never started, and the host knows; only its reaping is left

  // From the record of a start, or of a activation.
  template <class Record>
  void SetLimits(const Record& record) {
    cpuLimitNs = record.cpuLimitNs;
    wallLimitNs = record.wallLimitNs;
    memoryLimitBytes = record.memoryLimitBytes;
    cpuCount = record.cpuCount > 0 ? record.cpuCount : 1;
  }
};

// Everything about the programs of this sandbox. One resident program uses the sandbox's own group; those
// that run beside it have groups of their own below it, so the resident's share is the group's figure less
// theirs.
class Programs {
 public:
  explicit Programs(const Counters& sandbox) : sandbox_(sandbox) {}

  Program* FindFree();
  Program* FindById(uint32_t id);
  // Of a program whose main process is not reaped: after that another process may get its number.
  Program* FindByPid(int pid);
  Program* begin() { return reinterpret_cast<Program*>(places_); }
  Program* end() { return begin() + used_; }
  const Program* begin() const { return reinterpret_cast<const Program*>(places_); }
  const Program* end() const { return begin() + used_; }
  unsigned alive() const;

  // `ownCpuNs`: what the process that becomes the program has used already, which is the program's.
  void TakeBaseline(Program& program, uint64_t ownCpuNs);
  // CPU time counts from what the group's counter said; from now on where there is none.
  void RestartCpu(Program& program, uint64_t cpuBaseNs);
  bool AnyAhead() const;
  uint64_t CpuNs(const Program& program) const;
  // Before the host hears of its end, after which its own group may be gone.
  void RememberCpu(const Program& program) const;
  const Counters& CountersOf(const Program& program) const {
    return program.ownGroup ? program.counters : sandbox_;
  }
  bool HasGroup(const Program& program) const { return CountersOf(program).fds[kCounterProcs] >= 0; }

  EndedRecord Account(const Program& program) const;
  // A process has ended that was in this session: what it used, where no cgroup counts.
  void AddReaped(int session, uint64_t cpuNs);
  bool HasCpuCounter() const { return sandbox_.fds[kCounterCpu] >= 0; }
  // Processes of a program that has ended may go on: no list names them.
  void NoteUnlisted() { someUnlisted_ = true; }
  void NoteNobodyLeft() { someUnlisted_ = false; }
  // Frees the place and closes what it owned.
  void Release(Program& program);

  // Charged to its group now, less what was there before; kUnknown without one.
  uint64_t MemoryNow(const Program& program) const;

 private:
  uint64_t RawCpuNs(const Program& program) const;
  uint64_t MemoryPeak(const Program& program) const;
  uint64_t AtLeastDropped(const Program& program, uint64_t peak, uint64_t caches) const;
  // Of its own group; the last that was read where there is none any more.
  uint64_t GroupCpuNs(const Program& program) const;
  uint64_t OwnGroupsCpuNs() const;

  const Counters& sandbox_;
  // Made as they are needed. Most sandboxes have one program, and each page that init touches is copied or
  // made for it.
  alignas(Program) char places_[kProgramsMax * sizeof(Program)];
  unsigned used_ = 0;
  uint64_t endedOwnGroupsCpuNs_ = 0;
  bool someUnlisted_ = false;
};

}  // namespace sbx
