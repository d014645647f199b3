// What the host asks of init: start a program, signal one, end.
#include <errno.h>
#include <sys/mman.h>
#include <signal.h>
#include <sys/wait.h>

#include "../common/channel.h"
#include "bounds.h"
#include "init.h"
#include "launch.h"
#include "made_files.h"
#include "../common/text.h"

namespace sbx {
namespace {

template <class Record>
void SetLimits(Program& program, const Record& record) {
  program.cpuLimitNs = record.cpuLimitNs;
  program.wallLimitNs = record.wallLimitNs;
  program.memoryLimitBytes = record.memoryLimitBytes;
  program.cpuCount = record.cpuCount > 0 ? record.cpuCount : 1;
}

void StartClocks(Program& program, int64_t now) {
  program.startNs = now;
  program.nextCpuLookNs = After(program.startNs, program.cpuLimitNs / program.cpuCount);
}

Identity IdentityOf(const Init& init) {
  const Template& plan = init.helper.plan;
  return {plan.insideUid, plan.umask, plan.ignoredSignals, init.setup.landlock.get(), {(unsigned short)plan.policyLength, const_cast<struct sock_filter*>(plan.policy)}, init.setup.oomScore.get(), init.helper.nice, init.helper.programSliceNs, plan.launchKey};
}

// What an earlier program of the session left may fill the group. Until exec the kernel spares a process that still borrows our
// memory (vfork), and looking for somebody to kill instead it would find us.
bool HasNoRoom(const Init& init, const Program& program, const StartRecord& record) {
  constexpr uint64_t kExecBytes = 256 << 10;  // its stack, tables and kernel objects; arguments are copied
  if ((record.flags & kStartOneShot) != 0 || program.ownGroup) return false;
  const Counters& counters = init.programs.CountersOf(program);
  const uint64_t limit = ReadNumber(counters, kCounterMemoryLimit), held = program.memoryBase, least = kExecBytes + record.size;
  if (limit == kUnknown || held == kUnknown || held + least <= limit) return false;
  const uint64_t cache = ReadFileCache(counters);  // gives way
  return held - (cache < held ? cache : held) + least > limit;
}

Failure Begin(Init& init, Program& program, const char* message, Launch& launch) {
  const StartRecord& record = *launch.record;
  program.ownGroup = (record.flags & kStartOwnGroup) != 0;
  program.counters = launch.counters;
  program.id = record.programId;
  SetLimits(program, record);
  SBX_TRY(MakeFiles(init, message, launch));
  if ((record.flags & kStartTerminal) != 0) SBX_TRY(OpenTerminal(launch));
  const Counters& counters = init.programs.CountersOf(program);
  init.programs.TakeBaseline(program);
  SBX_TRY(BoundGroup(counters, program, record, message));
  DrainOomNotice(counters);
  StartClocks(program, sys::MonotonicNs());
  if (HasNoRoom(init, program, record)) return {Stage::k_exec, 0, ENOMEM};
  const Failure failure = LaunchProgram(launch, IdentityOf(init), init.programs.alive() > 0, program.pid, program.launching);
  if (!failure) {
    for (unsigned i = 0; i < record.fdCount; ++i)
      if ((record.fds[i].flags & kFdHold) != 0) program.held[i] = static_cast<Fd&&>(launch.fds[i]);
    return {};
  }
  if (program.pid != 0) {
    siginfo_t info;
    (void)sys::WaitId(P_PID, program.pid, &info, WEXITED, nullptr);  // it was alone: nobody can keep it from exiting
  }
  return failure;
}

// Memory ran out before it could execute: the kernel's word for that is ENOMEM, or E2BIG when its arguments had no room.
bool RanOutOfMemory(const Init& init, const Program& program, const StartRecord& record, const Failure& failure) {
  if (failure.stage != Stage::k_exec && failure.stage != Stage::k_programClone) return false;
  if (failure.error != ENOMEM && failure.error != E2BIG) return false;
  if (HasNoRoom(init, program, record)) return true;
  const Counters& counters = init.programs.CountersOf(program);
  const uint64_t kills = ReadOomKills(counters), peak = ReadNumber(counters, kCounterMemoryPeak);
  const bool full = program.memoryLimitBytes > 0 && peak != kUnknown && program.memoryBase != kUnknown && peak >= program.memoryBase + program.memoryLimitBytes;
  return full || (kills != kUnknown && kills > program.oomBase);
}

// A verdict on it, as if the kernel had killed it.
void ReportMemoryLimit(Init& init, Program& program) {
  program.cause = Cause::kMemoryLimit;
  program.waitStatus = SIGKILL;
  program.exited = true;
  program.endNs = sys::MonotonicNs();
  SendEnded(init, init.programs.Account(program));
}

void Announce(Init& init, Program& program) {
  if (program.notify) {
    StartedRecord started;
    started.programId = program.id;
    started.pid = program.pid;
    const int terminal = program.terminal.get();
    (void)Send(init.channel.get(), &started, sizeof(started), &terminal, program.terminal ? 1 : 0);
  }
  program.terminal.reset();
}

void Start(Init& init, const char* message, size_t size, Received& received, unsigned firstFd, const char** tables, size_t tableSize) {
  const auto& record = *reinterpret_cast<const StartRecord*>(message);
  const uint32_t id = size >= sizeof(record) ? record.programId : 0;
  const bool oneShot = size >= sizeof(record) && (record.flags & kStartOneShot) != 0;
  Launch launch = {};
  Program* program = init.programs.FindFree();
  Failure failure = program == nullptr ? Failure{Stage::k_programClone, 3, EAGAIN} : ParseStart(message, size, received, firstFd, init.setup.null.get(), tables, tableSize, launch);
  if (!failure) failure = Begin(init, *program, message, launch);
  if (failure) {
    if (program != nullptr && RanOutOfMemory(init, *program, record, failure)) ReportMemoryLimit(init, *program);
    else Report(init.channel.get(), failure, id);
    if (oneShot) sys::Exit(0);
    if (program != nullptr) init.programs.Release(*program);
    return;
  }
  init.oneShot = oneShot;
  init.turns.number = oneShot ? record.turns : 0;
  program->notify = (record.flags & kStartNotify) != 0;
  program->ahead = (record.flags & kStartAhead) != 0;
  program->terminal = static_cast<Fd&&>(launch.terminal);
  if (!program->launching) Announce(init, *program);
}

// A plan too large for a message: read from a sealed memory file into a mapping that goes when the program has started.
void StartFromFile(Init& init, Received& received) {
  struct stat status = {};
  const int file = received.fds[0].get();
  const auto& outer = *reinterpret_cast<const StartRecord*>(init.helper.message);
  const auto refuse = [&, id = outer.programId, oneShot = (outer.flags & kStartOneShot) != 0] {
    Report(init.channel.get(), {Stage::k_plan, 20, EPROTO}, id);
    if (oneShot) sys::Exit(0);
  };
  if (sys::Call(SYS_fstat, file, &status) < 0 || status.st_size < (long)sizeof(StartRecord) || status.st_size > (long)kPlanBytesMax) return refuse();
  const size_t size = (size_t)status.st_size, tableBytes = size * sizeof(char*);  // no more strings than bytes
  const long plan = sys::Call(SYS_mmap, 0, size, PROT_READ, MAP_PRIVATE, file, 0);
  const long tables = sys::Call(SYS_mmap, 0, tableBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool mapped = (unsigned long)plan < -4095UL && (unsigned long)tables < -4095UL;
  if (mapped) Start(init, reinterpret_cast<const char*>(plan), size, received, 1, reinterpret_cast<const char**>(tables), size);
  else refuse();
  (void)sys::Call(SYS_munmap, plan, size);
  (void)sys::Call(SYS_munmap, tables, tableBytes);
}

void HandOver(Init& init, const HandOverRecord& record) {
  Program* program = init.programs.FindById(record.programId);
  if (program == nullptr || program->exited) return;  // its end has been told, or is about to be
  program->ahead = false;
  SetLimits(*program, record);
  init.programs.RestartCpu(*program, record.cpuBaseNs);
  const int64_t now = sys::MonotonicNs();
  StartClocks(*program, record.startNs < (uint64_t)now ? (int64_t)record.startNs : now);
}

void Signal(Init& init, const SignalRecord& record) {
  Program* program = init.programs.FindById(record.programId);
  if (program == nullptr || program->exited || record.signal < 0 || record.signal > 64) return;
  Note(*program, record.cause);
  if (record.everything != 0) SignalEverything(init, *program, record.signal);
  else (void)sys::Kill(program->pid, record.signal);
}

}  // namespace

void SettleLaunch(Init& init, Program& program) {
  Failure failure;
  const long size = sys::Read(program.launching.get(), &failure, sizeof(failure));
  if (size == -EAGAIN) return;
  program.launching.reset();
  if (size != sizeof(failure)) return Announce(init, program);
  Report(init.channel.get(), failure, program.id);
  program.failed = true;
  (void)sys::Kill(program.pid, SIGKILL);  // others may have stopped it on its way out
}

void SettleLaunches(Init& init) {
  for (Program& program : init.programs)
    if (program.launching) SettleLaunch(init, program);
}

bool HandleMessage(Init& init) {
  static const char* tables[kStringsMax];
  Received received;
  char* message = init.helper.message;
  Receive(init.channel.get(), message, kMessageBytesMax, received, MSG_DONTWAIT);
  if (received.size == -EAGAIN) return true;
  const auto& head = *reinterpret_cast<const Head*>(message);
  if (received.size < (long)sizeof(Head) || received.truncated || head.version != kRecordVersion) return false;
  switch (head.kind) {
    case Kind::kStart: {
      const auto& record = *reinterpret_cast<const StartRecord*>(message);
      const bool inFile = received.size >= (long)sizeof(record) && (record.flags & kStartInFile) != 0 && received.fdCount > 0;
      if (inFile) StartFromFile(init, received);
      else Start(init, message, (size_t)received.size, received, 0, tables, kStringsMax);
      return true;
    }
    case Kind::kHandOver:
      if (received.size == sizeof(HandOverRecord)) HandOver(init, *reinterpret_cast<const HandOverRecord*>(message));
      return true;
    case Kind::kSignal:
      if (received.size == sizeof(SignalRecord)) Signal(init, *reinterpret_cast<const SignalRecord*>(message));
      return true;
    default:
      return false;
  }
}

}  // namespace sbx
