// The child section below runs in init's memory while init waits (vfork) or sleeps (pre_forked_child.h): only
// system calls on prepared data, no allocation, no locks, no destructors; it leaves by exec or _exit.
// Functions that may be called there end in InChild.

#include "launch.h"

#include <asm/termbits.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/prctl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "../common/channel.h"
#include "../common/text.h"
#include "descriptors.h"
#include "landlock.h"
#include "names.h"
#include "scheduling.h"

namespace sbx {

// A thread of the kernel's echoes it, which the program could overtake: the echo is waited for. Of some
// characters there is none.
static void Type(int master, const char* text, size_t size) {
  constexpr struct timespec kEchoTime = {0, 10'000'000};
  (void)!sys::Write(master, text, size);  // it has room for that
  struct pollfd echo = {master, POLLIN, 0};
  (void)sys::Ppoll(&echo, 1, &kEchoTime);
}

Failure OpenTerminal(Launch& launch) {
  Fd master(sys::Open(AT_FDCWD, "/dev/pts/ptmx", O_RDWR | O_NOCTTY));
  SBX_TRY(FailIf(Stage::k_terminal, master.get()));
  int locked = 0;
  SBX_TRY(FailIf(Stage::k_terminal, sys::Ioctl(master.get(), TIOCSPTLCK, (long)&locked), 1));
  struct winsize size = {(unsigned short)launch.record->rows, (unsigned short)launch.record->cols, 0, 0};
  SBX_TRY(FailIf(Stage::k_terminal, sys::Ioctl(master.get(), TIOCSWINSZ, (long)&size), 2));
  for (unsigned i = 0; i < 3 && i < launch.record->fdCount; ++i) {
    launch.fds[i].reset(sys::Ioctl(master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
    SBX_TRY(FailIf(Stage::k_terminal, launch.fds[i].get(), 3));
  }
  if (launch.record->typedSize > 0) Type(master.get(), launch.typed, launch.record->typedSize);
  launch.terminal = static_cast<Fd&&>(master);
  return {};
}

namespace {

// ETXTBSY: some process of the host holds the file open for writing, for a moment.
constexpr int kBusyTries = 50;

Failure JoinGroupsInChild(const Launch& launch) {
  for (unsigned i = 0; i < launch.record->joinCount; ++i)
    SBX_TRY(FailIf(Stage::k_cgroupJoin, sys::Write(launch.joins[i].get(), "0", 1), i));
  return {};
}

// Above the host's own hard limit nobody here can go. Then that is the program's, too, which is bounded no
// less.
int SetRlimitOrHostsInChild(const RlimitRow& row) {
  struct rlimit limit = {row.soft, row.hard}, own = {};
  const int set = sys::SetRlimit((int)row.resource, &limit);
  if (set != -EPERM || sys::GetRlimit((int)row.resource, &own) < 0) return set;
  if (limit.rlim_cur > own.rlim_max) limit.rlim_cur = own.rlim_max;
  if (limit.rlim_max > own.rlim_max) limit.rlim_max = own.rlim_max;
  return sys::SetRlimit((int)row.resource, &limit);
}

Failure SetRlimitsInChild(const StartRecord& record) {
  for (unsigned i = 0; i < record.rlimitCount; ++i)
    SBX_TRY(FailIf(Stage::k_rlimits, SetRlimitOrHostsInChild(record.rlimits[i]), i));
  return {};
}

// The keeper emptied groups, bounding set and securebits; here the ids and the remaining sets go.
Failure DropIdentityInChild(const Identity& identity) {
  SBX_TRY(FailIf(Stage::k_programIdentity, sys::SetResGid(identity.uid)));
  SBX_TRY(FailIf(Stage::k_programIdentity, sys::SetResUid(identity.uid), 1));
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {};
  // A change of ids can make our memory, which is still init's, dumpable again (fs.suid_dumpable = 1).
  SBX_TRY(FailIf(Stage::k_programIdentity, sys::Prctl(PR_SET_DUMPABLE, 0), 3));
  return FailIf(Stage::k_programIdentity, sys::Call(SYS_capset, &header, none), 2);
}

// They stay ignored across exec; init's own table is another.
void IgnoreSignalsInChild(uint32_t signals) {
  for (; signals != 0; signals &= signals - 1) sys::SetSignalHandler(__builtin_ctz(signals) + 1, SIG_IGN);
}

// Before descriptors are placed: on 0 may be something else than the terminal.
Failure TakeTerminalInChild(const Launch& launch) {
  if (!launch.terminal) return {};
  return FailIf(Stage::k_terminal, sys::Ioctl(launch.fds[0].get(), TIOCSCTTY, 0), 4);
}

// Returns only when it failed, with the error number.
int ExecPathInChild(const Launch& launch, const char* path) {
  int error = 0;
  for (int tries = 0; tries < kBusyTries; ++tries) {
    error = -sys::Execve(path, const_cast<char* const*>(launch.args), const_cast<char* const*>(launch.env));
    if (error != ETXTBSY) break;
    sys::SleepNs(1'000'000);
  }
  return error;
}

// The last thing before exec: from here on its family and the caller say which calls there are. The family
// lets the other one be loaded.
Failure LoadPolicyInChild(const Launch& launch, const Identity& identity) {
  if (launch.calls.len != 0)
    SBX_TRY(FailIf(Stage::k_policy, LoadFilter(launch.calls, identity.launchKey), 1));
  if (identity.policy.len == 0) return {};
  return FailIf(Stage::k_policy, LoadFilter(identity.policy, identity.launchKey));
}

// Tries the paths in turn, as execvp: the first that exists decides; "not there" goes on to the next.
// `worst`: what their names have said. By path, not by the descriptor that was looked at: a script would find
// /dev/fd/N as its name, and any program in its auxiliary vector. Whatever happened to the path meanwhile,
// there is nothing outside for it to lead to (docs/decisions/0021).
Failure ExecInChild(const Launch& launch, Failure worst) {
  const bool found = (launch.record->flags & kStartFindFirst) != 0;
  for (unsigned i = 0; launch.paths[i] != nullptr; ++i) {
    if (launch.paths[i][0] == '\0') continue;
    const int error = ExecPathInChild(launch, launch.paths[i]);
    if (!found && (error == ENOENT || error == ENOTDIR)) continue;
    worst = {Stage::k_exec, (uint16_t)i, error};
    if (error != EACCES) break;
  }
  return worst;
}

}  // namespace

Failure LeaveSessionInChild() { return FailIf(Stage::k_programClone, sys::SetSid(), 1); }

// Names are resolved as the program, with nothing open but what is its; limits come after, since one of them
// may leave no number for a descriptor.
Failure RunInChild(const Launch& launch, const Identity& identity, int report) {
  IgnoreSignalsInChild(identity.ignoredSignals);  // before its terminal can send any
  SBX_TRY(JoinGroupsInChild(launch));
  SBX_TRY(TakeTerminalInChild(launch));
  SBX_TRY(EnterLandlockInChild(identity.landlock, identity.landlockAbi));
  SBX_TRY(PlaceDescriptorsInChild(launch, report));
  SBX_TRY(DropIdentityInChild(identity));
  SBX_TRY(EnterFolderInChild(launch.cwd));
  const Failure names = CheckNamesInChild(launch);
  sys::Umask(identity.umask);
  SBX_TRY(FailIf(Stage::k_programClone, sys::SignalMask(SIG_SETMASK, 0), 2));
  SBX_TRY(SetRlimitsInChild(*launch.record));
  // Last of all: until here it goes before whoever shares its CPU, as init does.
  SBX_TRY(FailIf(
      Stage::k_programIdentity, SetNiceAndSlice(0, identity.nice, identity.sliceNs, identity.launchKey), 4));
  SBX_TRY(LoadPolicyInChild(launch, identity));
  return ExecInChild(launch, names);
}

namespace {

// Never inlined: what it keeps on the stack must not lie in the frame that the parent comes back to.
[[gnu::noinline]] Failure LaunchInChild(const Launch& launch, const Identity& identity, int report) {
  // Of init, whoever writes; fails where the host itself stands higher: there it stays.
  (void)sys::Write(identity.oomScore, "0", 1);
  SBX_TRY(LeaveSessionInChild());
  return RunInChild(launch, identity, report);
}

Failure LaunchAlone(const Launch& launch, const Identity& identity, int& pid) {
  // Shared with the child, which runs in this memory; volatile because only the child writes it.
  volatile Failure shared{};
  const long child = sys::Vfork();
  if (child == 0) {
    const Failure failure = LaunchInChild(launch, identity, -1);
    shared.stage = failure.stage;
    shared.index = failure.index;
    shared.error = failure.error;
    sys::Exit(127);
  }
  SBX_TRY(FailIf(Stage::k_programClone, child));
  const Failure failure = {shared.stage, shared.index, shared.error};
  if (failure) ReapFailed((int)child);
  else pid = (int)child;
  return failure;
}

// Close-on-exec: `read` is at end of file once who else holds `write` has executed, or ended.
Failure OpenLaunchPipe(Fd& read, Fd& write) {
  int pair[2];
  SBX_TRY(FailIf(Stage::k_programClone, sys::Call(SYS_pipe2, pair, O_CLOEXEC | O_NONBLOCK), 10));
  read.reset(pair[0]);
  Fd low(pair[1]);
  // Above every number that the program's descriptors are placed on.
  write.reset(sys::Fcntl(low.get(), F_DUPFD_CLOEXEC, kProgramFdNumberMax + 1));
  return FailIf(Stage::k_programClone, write.get(), 11);
}

Failure LaunchBeside(const Launch& launch, const Identity& identity, int& pid, Fd& report) {
  Fd read, write;
  SBX_TRY(OpenLaunchPipe(read, write));
  const long child = sys::Call(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) {
    const Failure failure = LaunchInChild(launch, identity, write.get());
    (void)!sys::Write(write.get(), &failure, sizeof(failure));  // init is our parent and outlives us
    sys::Exit(127);
  }
  SBX_TRY(FailIf(Stage::k_programClone, child, 12));
  pid = (int)child;
  report = static_cast<Fd&&>(read);
  return {};
}

}  // namespace

void ReapFailed(int pid) {
  siginfo_t info;
  (void)sys::WaitId(P_PID, pid, &info, WEXITED, nullptr);  // it is alone: nobody can keep it from exiting
}

// When memory runs out, programs go first, init last: a program inherits that it stands at 1000. Init goes
// back before exec, when the two are of one size; from then on the memory of which there is too little is the
// program's. After a vfork it is the child that must have done it: we go on a moment before the kernel takes
// our memory from it, and what is written then is written for all that share one.
Failure LaunchProgram(Launch& launch, const Identity& identity, bool beside, int& pid, Fd& report) {
  (void)sys::Write(identity.oomScore, "1000", 4);  // cannot fail: raising is free
  const Failure failure =
      beside ? LaunchBeside(launch, identity, pid, report) : LaunchAlone(launch, identity, pid);
  // Beside others the child may not have got to it yet; and after a failure there may be none.
  if (beside || failure) (void)sys::Write(identity.oomScore, "0", 1);
  return failure;
}

}  // namespace sbx
