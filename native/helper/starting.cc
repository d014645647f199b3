#include "starting.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>

#include "../common/channel.h"
#include "../plan/families.h"
#include "bounds.h"
#include "init.h"
#include "landlock.h"

namespace sbx {

Mapping::~Mapping() {
  if (at_ != nullptr) (void)sys::Call(SYS_munmap, at_, size_);
}

char* Mapping::Map(size_t size, int file) {
  const long at =
      file >= 0 ? sys::Call(SYS_mmap, 0, size, PROT_READ, MAP_PRIVATE, file, 0)
                : sys::Call(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if ((unsigned long)at >= -4095UL) return nullptr;
  size_ = size;
  return at_ = reinterpret_cast<char*>(at);
}

namespace {

// What an earlier program of the session left may fill the group. Until exec the kernel spares a process that
// still borrows our memory (vfork), and looking for somebody to kill instead it would find us.
bool HasNoRoom(const Init& init, const Program& program, const StartRecord& record) {
  constexpr uint64_t kExecBytes = 256 << 10;  // its stack, tables and kernel objects; arguments are copied
  if ((record.flags & kStartOneShot) != 0 || program.ownGroup) return false;
  const Counters& counters = init.programs.CountersOf(program);
  const uint64_t limit = ReadNumber(counters, kCounterMemoryLimit), held = program.memoryBase,
                 least = kExecBytes + record.size;
  if (limit == kUnknown || held == kUnknown || held + least <= limit) return false;
  const uint64_t cache = ReadCaches(counters, held);  // gives way
  return held - (cache < held ? cache : held) + least > limit;
}

// The pre-forked child's clock is the program's, which would else be told to have used less than it sees
// there. Reading it books what runs, so that the group's counter has it, too.
uint64_t OwnCpuNs(const Starting& starting) {
  const int64_t own = starting.byPreForkedChild ? sys::ClockNs(CLOCK_PROCESS_CPUTIME_ID) : 0;
  return own > 0 ? (uint64_t)own : 0;
}

// Rules of an earlier program's files go; a session may have thousands of programs.
Failure AllowFiles(Init& init, const Launch& launch) {
  SandboxSetup& setup = init.setup;
  if (!setup.landlock) return {};
  if (setup.landlockHasFiles) SBX_TRY(MakeLandlockRules(init.helper.plan, setup.landlock));
  setup.landlockHasFiles = AllowFilesOf(launch, init.helper.plan, setup.landlock.get());
  return {};
}

Failure Begin(Init& init, const char* message, Starting& starting) {
  Program& program = *starting.program;
  Launch& launch = starting.launch;
  const StartRecord& record = *launch.record;
  program.ownGroup = (record.flags & kStartOwnGroup) != 0;
  program.counters = launch.counters;
  program.id = record.programId;
  program.SetLimits(record);
  SBX_TRY(CheckCovers(init.helper.plan, init.setup.masks));
  SBX_TRY(MakeFiles(init, message, launch));
  SBX_TRY(AllowFiles(init, launch));
  if ((record.flags & kStartTerminal) != 0) SBX_TRY(OpenTerminal(launch));
  const Counters& counters = init.programs.CountersOf(program);
  init.programs.TakeBaseline(program, OwnCpuNs(starting));
  SBX_TRY(BoundGroup(counters, program, record, message));
  (void)DrainOomNotice(counters);  // of an earlier program's memory
  BeginMemoryWatch(init, (record.flags & kStartOneShot) != 0);
  StartClocks(program, sys::MonotonicNs());
  if (HasNoRoom(init, program, record)) return {Stage::k_exec, 0, ENOMEM};
  return {};
}

// Compiled once and kept: most programs of a sandbox are of one family. Init's own memory, which the
// pre-forked child shares.
struct sock_fprog CallsFor(uint32_t family, bool kill) {
  static Filter filter;
  static uint32_t compiledFamily = 0;
  static bool compiledKill = false;
  if (family == 0) return {};
  if (family != compiledFamily || kill != compiledKill) CompileFamily((CallFamily)(family - 1), kill, filter);
  compiledFamily = family;
  compiledKill = kill;
  return {(unsigned short)filter.length, filter.code};
}

void Take(Init& init, const char* message, size_t size, Received& received, unsigned firstFd,
    const char** tables, size_t tableSize, Starting& starting) {
  starting.program = init.programs.FindFree();
  if (starting.program == nullptr) starting.failure = {Stage::k_programClone, 3, EAGAIN};
  else
    starting.failure = ParseStart(
        message, size, received, firstFd, init.setup.null.get(), tables, tableSize, starting.launch);
  if (!starting.failure)
    starting.launch.calls =
        CallsFor(starting.launch.record->family, (starting.launch.record->flags & kStartCallsKill) != 0);
  if (!starting.failure) starting.failure = Begin(init, message, starting);
}

// A plan too large for a message: read from a sealed memory file into a mapping that goes when the program
// has started. The message is its record again: what has been read there already must be what the plan says.
void TakeFromFile(Init& init, const StartRecord& message, Received& received, Starting& starting) {
  struct stat status = {};
  const int file = received.fds[0].get();
  starting.failure = {Stage::k_plan, 20, EPROTO};
  if (sys::Call(SYS_fstat, file, &status) < 0 || status.st_size < (long)sizeof(StartRecord) ||
      status.st_size > (long)kPlanBytesMax)
    return;
  const size_t size = (size_t)status.st_size;
  const char* plan = starting.plan.Map(size, file);
  char* tables = starting.tables.Map(size * sizeof(char*), -1);  // no more strings than bytes
  if (plan == nullptr || tables == nullptr) return;
  const auto& record = *reinterpret_cast<const StartRecord*>(plan);
  if (record.flags != message.flags || record.programId != message.programId) return;
  Take(init, plan, size, received, 1, reinterpret_cast<const char**>(tables), size, starting);
}

// Memory ran out before it could execute: the kernel's word for that is ENOMEM, or E2BIG when its arguments
// had no room.
bool RanOutOfMemory(
    const Init& init, const Program& program, const StartRecord& record, const Failure& failure) {
  if (failure.stage != Stage::k_exec && failure.stage != Stage::k_programClone) return false;
  if (failure.error != ENOMEM && failure.error != E2BIG) return false;
  if (HasNoRoom(init, program, record)) return true;
  const Counters& counters = init.programs.CountersOf(program);
  const uint64_t kills = ReadMemoryEvents(counters).oomKills, peak = ReadNumber(counters, kCounterMemoryPeak);
  const bool full = program.memoryLimitBytes > 0 && peak != kUnknown && program.memoryBase != kUnknown &&
                    peak >= program.memoryBase + program.memoryLimitBytes;
  return full || (kills != kUnknown && kills > program.eventsBase.oomKills);
}

// A verdict on it, as if the kernel had killed it.
void ReportMemoryLimit(Init& init, Program& program) {
  program.cause = Cause::kMemoryLimit;
  program.waitStatus = SIGKILL;
  program.exited = true;
  program.endNs = sys::MonotonicNs();
  SendEnded(init, init.programs.Account(program));
}

}  // namespace

Identity IdentityOf(const Init& init) {
  const Template& plan = init.helper.plan;
  return {plan.insideUid, plan.umask, plan.ignoredSignals, init.setup.landlock.get(), plan.landlockAbi,
      {(unsigned short)plan.policyLength, const_cast<struct sock_filter*>(plan.policy)},
      init.setup.oomScore.get(), init.helper.nice, init.helper.programSliceNs, plan.launchKey};
}

void TakeStart(Init& init, Received& received, Starting& starting) {
  static const char* tables[kStringsMax];
  const char* message = init.helper.message;
  const auto& record = *reinterpret_cast<const StartRecord*>(message);
  const bool isWhole = received.size >= (long)sizeof(record);
  starting.id = isWhole ? record.programId : 0;
  // The only program of this sandbox has been started: what init made for it is closed by init's own end.
  if (init.oneShot) {
    starting.failure = {Stage::k_plan, 22, EPROTO};
    return;
  }
  starting.oneShot = isWhole && (record.flags & kStartOneShot) != 0;
  if (isWhole && (record.flags & kStartInFile) != 0 && received.fdCount > 0)
    TakeFromFile(init, record, received, starting);
  else Take(init, message, (size_t)received.size, received, 0, tables, kStringsMax, starting);
}

void FinishStart(Init& init, Starting& starting) {
  Launch& launch = starting.launch;
  Program* program = starting.program;
  if (starting.failure) {
    if (launch.record != nullptr && RanOutOfMemory(init, *program, *launch.record, starting.failure))
      ReportMemoryLimit(init, *program);
    else {
      if (program != nullptr) init.programs.RememberCpu(*program);
      Report(init.channel.get(), starting.failure, starting.id);
    }
    if (starting.oneShot) sys::Exit(0);
    if (program != nullptr) init.programs.Release(*program);
    return;
  }
  const StartRecord& record = *launch.record;
  for (unsigned i = 0; i < record.fdCount; ++i)
    if ((record.fds[i].flags & kFdHold) != 0) program->held[i] = static_cast<Fd&&>(launch.fds[i]);
  init.oneShot = starting.oneShot;
  init.turns.number = starting.oneShot ? record.turns : 0;
  program->notify = (record.flags & kStartNotify) != 0;
  program->ahead = (record.flags & kStartAhead) != 0;
  program->terminal = static_cast<Fd&&>(launch.terminal);
  if (!program->launching) Announce(init, *program);
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

}  // namespace sbx
