// What the host asks of init: start a program, signal one, end.
#include <errno.h>
#include <sys/mman.h>
#include <signal.h>
#include <sys/wait.h>

#include "../common/channel.h"
#include "init.h"
#include "launch.h"

namespace sbx {
namespace {

Failure ApplyWrites(const Counters& counters, const StartRecord& record, const char* message) {
  for (unsigned i = 0; i < record.writeCount; ++i) {
    const WriteRow& row = record.writes[i];
    if (row.counter >= kCounterCount || row.text >= record.size) return {Stage::k_plan, 10, EPROTO};
    const int written = WriteCounter(counters, (Counter)row.counter, message + row.text);
    if (written < 0 && row.optional == 0) return FailIf(Stage::k_cgroupWrite, written, i);
  }
  return {};
}

Failure Begin(Init& init, Program& program, const char* message, Launch& launch) {
  const StartRecord& record = *launch.record;
  program.ownGroup = (record.flags & kStartOwnGroup) != 0;
  program.counters = launch.counters;
  program.id = record.programId;
  program.cpuLimitNs = record.cpuLimitNs;
  program.wallLimitNs = record.wallLimitNs;
  program.memoryLimitBytes = record.memoryLimitBytes;
  program.cpuCount = record.cpuCount > 0 ? record.cpuCount : 1;
  SBX_TRY(ApplyWrites(init.programs.CountersOf(program), record, message));
  if ((record.flags & kStartTerminal) != 0) SBX_TRY(OpenTerminal(launch));
  DrainOomNotice(init.programs.CountersOf(program));
  init.programs.TakeBaseline(program);
  program.startNs = sys::MonotonicNs();
  program.nextCpuLookNs = program.startNs + (int64_t)(program.cpuLimitNs / program.cpuCount);
  (void)sys::Write(init.setup.oomScore.get(), "1000", 4);  // cannot fail: raising is free
  const Failure failure = LaunchProgram(launch, init.helper.plan.insideUid, init.programs.alive() > 0, program.pid, program.launching);
  (void)sys::Write(init.setup.oomScore.get(), "0", 1);  // fails where the host itself stands higher: then there we stay
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
    Report(init.channel.get(), failure, id);
    if (oneShot) sys::Exit(0);
    if (program != nullptr) init.programs.Release(*program);
    return;
  }
  init.oneShot = oneShot;
  program->notify = (record.flags & kStartNotify) != 0;
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
    case Kind::kSignal:
      if (received.size == sizeof(SignalRecord)) Signal(init, *reinterpret_cast<const SignalRecord*>(message));
      return true;
    default:
      return false;
  }
}

}  // namespace sbx
