// Theory: in strict mode a program can call what programs in its language do call, traced (strace) with
// samples that use threads, children, files, timers and sockets, and with their compilers, plus what the
// manuals of C library and runtime say beside. All else is kernel code that an exploit could use and an
// honest program does not miss. Arguments are not looked at here: the filter below does that.
//
// Left out of every family on purpose: System V IPC and POSIX message queues,
// remap_file_pages, readahead, I/O priorities, io_submit and its like, landlock_*, set_mempolicy and its
// like, personality but for a shell's setarch.

#include "families.h"

#include <asm/unistd.h>
#include <errno.h>
#include <linux/seccomp.h>

// Calls that Debian 12's headers do not name; their numbers are the same on all architectures.
#ifndef __NR_fchmodat2
#define __NR_fchmodat2 452
#endif

namespace sbx {
namespace {

#define CALL(name) (uint16_t)__NR_##name

// Files and folders.
constexpr uint16_t kFiles[] = {CALL(read), CALL(write), CALL(readv), CALL(writev), CALL(pread64),
    CALL(pwrite64), CALL(preadv), CALL(pwritev), CALL(preadv2), CALL(pwritev2), CALL(openat), CALL(openat2),
    CALL(close), CALL(close_range), CALL(lseek), CALL(fstat), CALL(newfstatat), CALL(statx), CALL(statfs),
    CALL(fstatfs), CALL(getdents64), CALL(readlinkat), CALL(faccessat), CALL(faccessat2), CALL(fcntl),
    CALL(dup), CALL(dup3), CALL(pipe2), CALL(ftruncate), CALL(truncate), CALL(fallocate), CALL(fsync),
    CALL(fdatasync), CALL(mkdirat), CALL(mknodat), CALL(unlinkat), CALL(renameat), CALL(renameat2),
    CALL(linkat), CALL(symlinkat), CALL(fchmod), CALL(fchmodat), CALL(fchmodat2), CALL(fchown),
    CALL(fchownat), CALL(utimensat), CALL(umask), CALL(getcwd), CALL(chdir), CALL(fchdir), CALL(ioctl),
    CALL(sendfile), CALL(copy_file_range), CALL(fadvise64), CALL(getxattr), CALL(lgetxattr), CALL(fgetxattr),
    CALL(listxattr), CALL(llistxattr), CALL(flistxattr), CALL(removexattr), CALL(lremovexattr),
    CALL(fremovexattr)};

// Memory.
constexpr uint16_t kMemory[] = {
    CALL(brk), CALL(mmap), CALL(munmap), CALL(mprotect), CALL(mremap), CALL(madvise), CALL(msync)};

// Time, signals, waiting.
constexpr uint16_t kTime[] = {CALL(clock_gettime), CALL(clock_getres), CALL(clock_nanosleep), CALL(nanosleep),
    CALL(gettimeofday), CALL(times), CALL(getitimer), CALL(setitimer), CALL(rt_sigaction),
    CALL(rt_sigprocmask), CALL(rt_sigreturn), CALL(rt_sigsuspend), CALL(rt_sigpending), CALL(rt_sigtimedwait),
    CALL(rt_sigqueueinfo), CALL(rt_tgsigqueueinfo), CALL(sigaltstack), CALL(kill), CALL(tkill), CALL(tgkill),
    CALL(restart_syscall), CALL(ppoll), CALL(pselect6)};

// Processes and threads; `seccomp` is the rest of the start of a program.
constexpr uint16_t kProcesses[] = {CALL(clone), CALL(execve), CALL(execveat), CALL(exit), CALL(exit_group),
    CALL(wait4), CALL(waitid), CALL(setpgid), CALL(getpgid), CALL(setsid), CALL(getsid),
    CALL(set_tid_address), CALL(set_robust_list), CALL(get_robust_list), CALL(rseq), CALL(futex),
    CALL(gettid), CALL(getpid), CALL(getppid), CALL(getuid), CALL(geteuid), CALL(getgid), CALL(getegid),
    CALL(getresuid), CALL(getresgid), CALL(getgroups), CALL(capget), CALL(prctl), CALL(seccomp), CALL(uname),
    CALL(sysinfo), CALL(getrusage), CALL(prlimit64), CALL(getrlimit), CALL(setrlimit), CALL(getpriority),
    CALL(setpriority), CALL(sched_yield), CALL(sched_getaffinity), CALL(sched_setaffinity),
    CALL(sched_getparam), CALL(sched_setparam), CALL(sched_getscheduler), CALL(sched_setscheduler),
    CALL(sched_get_priority_max), CALL(sched_get_priority_min), CALL(sched_rr_get_interval),
    CALL(sched_getattr), CALL(getcpu), CALL(getrandom)};

// The same under older names, which one architecture has.
constexpr uint16_t kOldNames[] = {
#ifdef __x86_64__
    CALL(open),
    CALL(creat),
    CALL(stat),
    CALL(lstat),
    CALL(access),
    CALL(readlink),
    CALL(getdents),
    CALL(mkdir),
    CALL(rmdir),
    CALL(mknod),
    CALL(unlink),
    CALL(rename),
    CALL(link),
    CALL(symlink),
    CALL(chmod),
    CALL(chown),
    CALL(lchown),
    CALL(utime),
    CALL(utimes),
    CALL(futimesat),
    CALL(dup2),
    CALL(pipe),
    CALL(fork),
    CALL(vfork),
    CALL(getpgrp),
    CALL(time),
    CALL(alarm),
    CALL(pause),
    CALL(poll),
    CALL(select),
    CALL(arch_prctl),
#else
    CALL(newfstatat),
#endif
};

// Many files at once, and events as files.
constexpr uint16_t kEvents[] = {
    CALL(epoll_create1),
    CALL(epoll_ctl),
    CALL(epoll_pwait),
    CALL(epoll_pwait2),
    CALL(eventfd2),
    CALL(signalfd4),
#ifdef __x86_64__
    CALL(epoll_create),
    CALL(epoll_wait),
    CALL(eventfd),
    CALL(signalfd),
#endif
};

// Sockets, of those families that the filter below leaves.
constexpr uint16_t kSockets[] = {CALL(socket), CALL(socketpair), CALL(connect), CALL(accept), CALL(accept4),
    CALL(bind), CALL(listen), CALL(shutdown), CALL(getsockname), CALL(getpeername), CALL(getsockopt),
    CALL(setsockopt), CALL(sendto), CALL(recvfrom), CALL(sendmsg), CALL(recvmsg), CALL(sendmmsg),
    CALL(recvmmsg)};

// What the C library asks a cache of names with, and does without.
constexpr uint16_t kNames[] = {CALL(socket), CALL(connect)};

// Timers as files.
constexpr uint16_t kTimerFiles[] = {CALL(timerfd_create), CALL(timerfd_settime), CALL(timerfd_gettime)};

// Timers that send signals: of `timeout`, of profilers.
constexpr uint16_t kTimers[] = {
    CALL(timer_create), CALL(timer_settime), CALL(timer_gettime), CALL(timer_delete), CALL(timer_getoverrun)};

// Files without a name: shared memory, code of JITs.
constexpr uint16_t kMemoryFiles[] = {CALL(memfd_create)};

// Children by descriptor, with other ways where there is none.
constexpr uint16_t kPidFiles[] = {CALL(pidfd_open), CALL(pidfd_send_signal)};

// What runtimes tell other CPUs.
constexpr uint16_t kBarriers[] = {CALL(membarrier)};

// Another user or persona, which a program without rights can only drop.
constexpr uint16_t kIdentity[] = {CALL(setuid), CALL(setgid), CALL(setreuid), CALL(setregid), CALL(setresuid),
    CALL(setresgid), CALL(setgroups), CALL(capset)};

// Memory that stays, files written out in part.
constexpr uint16_t kNative[] = {CALL(mlock), CALL(mlock2), CALL(munlock), CALL(mlockall), CALL(munlockall),
    CALL(sync_file_range), CALL(futex_waitv)};

// Keys of V8's code.
constexpr uint16_t kNode[] = {CALL(pkey_alloc), CALL(pkey_free), CALL(pkey_mprotect)};

// Which of a stack's pages are there, where memory lies.
constexpr uint16_t kJvm[] = {CALL(mincore), CALL(get_mempolicy)};

// `setarch`.
constexpr uint16_t kShell[] = {CALL(personality)};
#undef CALL

constexpr uint32_t kOfNative = FamilyBit(CallFamily::kNative), kOfPython = FamilyBit(CallFamily::kPython),
                   kOfNode = FamilyBit(CallFamily::kNode), kOfJvm = FamilyBit(CallFamily::kJvm),
                   kOfBeam = FamilyBit(CallFamily::kBeam), kOfShell = FamilyBit(CallFamily::kShell);
constexpr uint32_t kOfAll = kOfNative | kOfPython | kOfNode | kOfJvm | kOfBeam | kOfShell;

template <size_t kCount>
constexpr CallGroup Group(const uint16_t (&numbers)[kCount], uint32_t families) {
  return {numbers, kCount, families};
}

constexpr CallGroup kGroups[] = {
    Group(kFiles, kOfAll),
    Group(kMemory, kOfAll),
    Group(kTime, kOfAll),
    Group(kProcesses, kOfAll),
    Group(kOldNames, kOfAll),
    Group(kEvents, kOfAll & ~kOfShell),
    Group(kSockets, kOfAll & ~kOfShell),
    Group(kNames, kOfShell),
    Group(kTimerFiles, kOfNative | kOfPython | kOfBeam),
    Group(kTimers, kOfNative | kOfShell),
    Group(kMemoryFiles, kOfNative | kOfPython | kOfJvm | kOfBeam),
    Group(kPidFiles, kOfNative | kOfPython),
    Group(kBarriers, kOfNative | kOfNode | kOfJvm | kOfBeam),
    Group(kIdentity, kOfNative | kOfShell),
    Group(kNative, kOfNative),
    Group(kNode, kOfNode),
    Group(kJvm, kOfJvm),
    Group(kShell, kOfShell),
};

constexpr unsigned kNumbersMax = 512;  // above the youngest call

class Allowed {
 public:
  void Add(unsigned number) {
    if (number < kNumbersMax) bits_[number / 64] |= 1ull << (number % 64);
  }
  bool Has(unsigned number) const { return (bits_[number / 64] >> (number % 64) & 1) != 0; }

 private:
  uint64_t bits_[kNumbersMax / 64] = {};
};

Allowed AllowedFor(CallFamily family) {
  Allowed allowed;
  const uint32_t wanted = family == CallFamily::kAny ? ~0u : FamilyBit(family);
  for (const CallGroup& group : kGroups)
    if ((group.families & wanted) != 0)
      for (unsigned i = 0; i < group.count; ++i) allowed.Add(group.numbers[i]);
  // Refused below, whatever the arguments. Of two filters that both answer with an errno the one that was
  // loaded last counts.
  size_t count;
  const SeccompRow* rows = SeccompRows(count);
  for (size_t i = 0; i < count; ++i)
    if (rows[i].condition == nullptr) allowed.Add((unsigned)rows[i].number);
  allowed.Add(__NR_ptrace);
  allowed.Add(__NR_io_setup);
  return allowed;
}

// Numbers from `start` to the next run's, which are answered alike.
struct Run {
  uint32_t start, answer;
};

class FamilyCompiler {
 public:
  FamilyCompiler(Filter& filter) : filter_(filter) { filter.length = 0; }

  void Append(uint32_t start, uint32_t answer) {
    if (count_ == 0 || runs_[count_ - 1].answer != answer) runs_[count_++] = {start, answer};
  }
  void Compile() {
    Add(BPF_LD | BPF_W | BPF_ABS, 0);  // the number
    Search(0, count_);
    if (filter_.length > kFilterLengthMax) __builtin_trap();
  }

 private:
  void Add(uint16_t code, uint32_t k, uint8_t jumpTrue = 0, uint8_t jumpFalse = 0) {
    if (filter_.length < kFilterLengthMax) filter_.code[filter_.length] = {code, jumpTrue, jumpFalse, k};
    ++filter_.length;
  }
  // A conditional jump gets over 255 instructions, an unconditional one over all.
  void Search(unsigned first, unsigned last) {
    if (last - first == 1) return Add(BPF_RET | BPF_K, runs_[first].answer);
    const unsigned middle = first + (last - first) / 2;
    Add(BPF_JMP | BPF_JGE | BPF_K, runs_[middle].start, 0, 1);
    const size_t jump = filter_.length;
    Add(BPF_JMP | BPF_JA, 0);
    Search(first, middle);
    if (jump < kFilterLengthMax) filter_.code[jump].k = (uint32_t)(filter_.length - jump - 1);
    Search(middle, last);
  }

  Filter& filter_;
  Run runs_[kNumbersMax + 1];
  unsigned count_ = 0;
};

}  // namespace

const CallGroup* CallGroups(size_t& count) {
  count = sizeof(kGroups) / sizeof(kGroups[0]);
  return kGroups;
}

void CompileFamily(CallFamily family, bool kill, Filter& filter) {
  const Allowed allowed = AllowedFor(family);
  const uint32_t refusal = kill ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM;
  FamilyCompiler compiler(filter);
  for (unsigned number = 0; number < kNumbersMax; ++number)
    compiler.Append(number, allowed.Has(number)     ? SECCOMP_RET_ALLOW
                            : number >= kYoungCalls ? SECCOMP_RET_ERRNO | ENOSYS
                                                    : refusal);
  compiler.Append(kNumbersMax, SECCOMP_RET_ERRNO | ENOSYS);
  compiler.Compile();
}

}  // namespace sbx
