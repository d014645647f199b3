// Init: pid 1 of one sandbox. It starts programs, enforces their CPU and wall limits with its own timers, sees when memory
// runs out, reaps, and reports fixed records. It never runs anything of the request itself. When it exits, for whatever
// reason, the kernel kills everything in the sandbox: that is the only clean-up.

#include <errno.h>
#include <linux/prctl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../common/channel.h"
#include "launch.h"
#include "programs.h"
#include "setup.h"

namespace sbx {
namespace {

constexpr int64_t kCpuLookFloorNs = 300'000;      // the closest two looks at the CPU time
constexpr int64_t kForeverNs = INT64_MAX;

struct Init {
  Helper& helper;
  const Counters& counters;  // the sandbox's
  SandboxSetup setup;
  Fd channel;
  Programs programs;
  bool oneShot = false;  // the sandbox ends with its program
};

// ---- ending programs ----

void Note(Program& program, Cause cause) {
  if (program.cause == Cause::kNone) program.cause = cause;
}

// Sends `signal` to every process of the program. Alone in the sandbox it is all but us, in one atomic sweep; else the
// processes of its group. Without groups only its session's leader group can be named.
void SignalEverything(Init& init, const Program& program, int signal) {
  if (init.programs.alive() <= 1) (void)sys::Kill(-1, signal);
  else if (init.programs.HasGroup(program)) (void)SignalGroup(init.programs.CountersOf(program), signal);
  else (void)sys::Kill(-program.pid, signal);
}

void KillFor(Init& init, Program& program, Cause cause) {
  Note(program, cause);
  SignalEverything(init, program, SIGKILL);
}

// Reaps one child, if there is one; false when there is none (left, or just now).
bool ReapOne(Init& init, int options) {
  siginfo_t info = {};
  struct rusage usage = {};
  if (sys::WaitId(P_ALL, 0, &info, WEXITED | options, &usage) < 0 || info.si_pid == 0) return false;
  Program* program = init.programs.FindByPid(info.si_pid);
  if (program == nullptr) return true;
  program->exited = true;
  program->endNs = sys::MonotonicNs();
  program->maxRssBytes = (uint64_t)usage.ru_maxrss * 1024;
  // As wait(2) gives it: the exit code in the second byte, or the signal in the first, 0x80 for a core dump.
  program->waitStatus = info.si_code == CLD_EXITED ? (info.si_status & 0xff) << 8 : info.si_status | (info.si_code == CLD_DUMPED ? 0x80 : 0);
  return true;
}

// After this no process of the program is left.
void KillLeftovers(Init& init, const Program& program) {
  if (init.programs.alive() <= 1) {
    (void)sys::Kill(-1, SIGKILL);
    while (ReapOne(init, 0)) continue;
    return;
  }
  if (!init.programs.HasGroup(program)) {
    (void)sys::Kill(-program.pid, SIGKILL);
    return;
  }
  const Counters& counters = init.programs.CountersOf(program);
  if (program.ownGroup) (void)WriteCounter(counters, kCounterTaskLimit, "0");  // no new ones while we look
  while (SignalGroup(counters, SIGKILL) > 0) {
    while (ReapOne(init, WNOHANG)) continue;
    sys::SleepNs(100'000);
  }
}

void Finish(Init& init, Program& program) {
  KillLeftovers(init, program);
  const EndedRecord record = init.programs.Account(program);
  (void)Send(init.channel.get(), &record, sizeof(record), nullptr, 0);  // a host that is gone shows as end of file
  init.programs.Release(program);
  if (init.oneShot) sys::Exit(0);
}

void ReapAndFinish(Init& init) {
  while (ReapOne(init, WNOHANG)) continue;
  for (Program& program : init.programs)
    if (program.pid != 0 && program.exited) Finish(init, program);
}

// ---- limits ----

// When to look at this program next; kills it when a limit is passed.
int64_t Enforce(Init& init, Program& program, int64_t now) {
  int64_t next = kForeverNs;
  if (program.wallLimitNs > 0) {
    const int64_t end = program.startNs + (int64_t)program.wallLimitNs;
    if (now >= end) {
      KillFor(init, program, Cause::kWallLimit);
      return kForeverNs;
    }
    next = end;
  }
  if (program.cpuLimitNs == 0) return next;
  if (now >= program.nextCpuLookNs) {
    const uint64_t used = init.programs.CpuNs(program);
    if (used != kUnknown && used >= program.cpuLimitNs) {
      KillFor(init, program, Cause::kCpuLimit);
      return kForeverNs;
    }
    // It cannot use more than its CPUs in the meantime.
    const int64_t left = used == kUnknown ? 10'000'000 : (int64_t)((program.cpuLimitNs - used) / program.cpuCount);
    program.nextCpuLookNs = now + (left > kCpuLookFloorNs ? left : kCpuLookFloorNs);
  }
  return program.nextCpuLookNs < next ? program.nextCpuLookNs : next;
}

void CheckMemory(Init& init) {
  for (Program& program : init.programs) {
    if (program.pid == 0 || program.exited) continue;
    const Counters& counters = init.programs.CountersOf(program);
    if (counters.oomEventfd) {
      uint64_t count;
      if (sys::Read(counters.fds[kCounterOomNotice], &count, sizeof(count)) == sizeof(count)) KillFor(init, program, Cause::kMemoryLimit);
      continue;
    }
    const uint64_t kills = ReadOomKills(counters);
    if (kills != kUnknown && kills > program.oomBase) KillFor(init, program, Cause::kMemoryLimit);
  }
}

// ---- messages of the host ----

void DrainOomNotice(const Counters& counters) {
  uint64_t count;
  if (counters.oomEventfd) (void)sys::Read(counters.fds[kCounterOomNotice], &count, sizeof(count));
}

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
  const Failure failure = LaunchProgram(launch, init.helper.plan.insideUid, program.pid);
  if (!failure) {
    for (unsigned i = 0; i < record.fdCount; ++i)
      if ((record.fds[i].flags & kFdHold) != 0) program.held[i] = static_cast<Fd&&>(launch.fds[i]);
    return {};
  }
  if (program.pid != 0) {
    siginfo_t info;
    (void)sys::WaitId(P_PID, program.pid, &info, WEXITED, nullptr);
  }
  return failure;
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
  if ((record.flags & kStartNotify) == 0) return;
  StartedRecord started;
  started.programId = id;
  started.pid = program->pid;
  const int terminal = launch.terminal.get();
  (void)Send(init.channel.get(), &started, sizeof(started), &terminal, launch.terminal ? 1 : 0);
}

// A plan too large for a message: read from a sealed memory file into a mapping that goes when the program has started.
void StartFromFile(Init& init, Received& received) {
  struct stat status = {};
  const int file = received.fds[0].get();
  const Failure failure = {Stage::k_plan, 20, EPROTO};
  if (sys::Call(SYS_fstat, file, &status) < 0 || status.st_size < (long)sizeof(StartRecord) || status.st_size > (long)kPlanBytesMax) return Report(init.channel.get(), failure);
  const size_t size = (size_t)status.st_size, tableBytes = size * sizeof(char*);  // no more strings than bytes
  const long plan = sys::Call(SYS_mmap, 0, size, PROT_READ, MAP_PRIVATE, file, 0);
  const long tables = sys::Call(SYS_mmap, 0, tableBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool mapped = (unsigned long)plan < -4095UL && (unsigned long)tables < -4095UL;
  if (mapped) Start(init, reinterpret_cast<const char*>(plan), size, received, 1, reinterpret_cast<const char**>(tables), size);
  else Report(init.channel.get(), failure);
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

// False when the host is gone or wants the end.
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

// ---- the loop ----

int64_t EnforceAll(Init& init) {
  int64_t next = kForeverNs;
  const int64_t now = sys::MonotonicNs();
  for (Program& program : init.programs) {
    if (program.pid == 0 || program.exited) continue;
    if (const int64_t look = Enforce(init, program, now); look < next) next = look;
  }
  return next;
}

struct Polled {
  struct pollfd fds[2 + 1 + kProgramsMax];
  unsigned count;
};

void CollectPolled(Init& init, Polled& polled) {
  polled.fds[0] = {init.channel.get(), POLLIN, 0};
  polled.fds[1] = {init.setup.signals.get(), POLLIN, 0};
  polled.count = 2;
  const auto add = [&](const Counters& counters) {
    const int fd = counters.fds[kCounterOomNotice];
    if (fd >= 0) polled.fds[polled.count++] = {fd, (short)(counters.oomEventfd ? POLLIN : POLLPRI), 0};
  };
  if (init.programs.alive() > 0) add(init.counters);
  for (const Program& program : init.programs)
    if (program.pid != 0 && program.ownGroup) add(program.counters);
}

[[noreturn]] void Loop(Init& init) {
  for (;;) {
    const int64_t next = EnforceAll(init);
    struct timespec wait = {};
    if (next != kForeverNs) {
      const int64_t left = next - sys::MonotonicNs();
      wait = {left > 0 ? left / 1'000'000'000 : 0, left > 0 ? left % 1'000'000'000 : 0};
    }
    Polled polled;
    CollectPolled(init, polled);
    const int ready = sys::Ppoll(polled.fds, polled.count, next == kForeverNs ? nullptr : &wait);
    if (ready <= 0) continue;
    for (unsigned i = 2; i < polled.count; ++i)
      if (polled.fds[i].revents != 0) {
        CheckMemory(init);
        break;
      }
    if (polled.fds[1].revents != 0) {
      char discarded[128];
      while (sys::Read(init.setup.signals.get(), discarded, sizeof(discarded)) > 0) continue;
      ReapAndFinish(init);
    }
    if (polled.fds[0].revents != 0 && !HandleMessage(init)) sys::Exit(0);
  }
}

}  // namespace

[[noreturn]] void InitMain(Helper& helper, const PrepareRecord& request, int keeperChannel, const Counters& counters) {
  (void)sys::Prctl(PR_SET_NAME, (unsigned long)"sbx-init");
  Init init{helper, counters, {}, Fd(), Programs(counters)};
  if (const Failure failure = SetUpSandbox(helper, request, init.setup)) {
    Report(keeperChannel, failure);
    sys::Exit(1);
  }
  int pair[2];
  if (const Failure failure = FailIf(Stage::k_ready, sys::SocketPair(SOCK_SEQPACKET, pair))) {
    Report(keeperChannel, failure);
    sys::Exit(1);
  }
  init.channel.reset(pair[0]);
  const ReadyRecord ready;
  const int given[2] = {pair[1], init.setup.workspace.get()};
  if (Send(keeperChannel, &ready, sizeof(ready), given, 2) < 0) sys::Exit(1);
  sys::Close(pair[1]);
  sys::Close(keeperChannel);
  init.setup.workspace.reset();
  Loop(init);
}

}  // namespace sbx
