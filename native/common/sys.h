// One wrapper per system call that the helper and the addon's child side use. Contract: the result is >= 0 on
// success, a negative error number on failure; EINTR is retried where a retry is right. Nothing here reads or
// sets `errno`, allocates or locks, so every function may be called between clone and exec.
#pragma once

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>

#include "raw_syscall.h"

// Debian 12's headers know these; older ones may not.
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1U << 1)
#endif
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

namespace sbx::sys {

constexpr int kEintr = 4;

template <typename... Args>
[[nodiscard]] inline __attribute__((always_inline)) long Call(long number, Args... args) {
  return RawSyscall(number, (long)args...);
}

template <typename... Args>
[[nodiscard]] inline long CallRetry(long number, Args... args) {
  long result;
  do result = RawSyscall(number, (long)args...);
  while (result == -kEintr);
  return result;
}

// --- descriptors ---
[[nodiscard]] inline int Open(int dir, const char* path, int flags, mode_t mode = 0) {
  return (int)CallRetry(SYS_openat, dir, path, flags | O_CLOEXEC, mode);
}
[[nodiscard]] inline int Open2(int dir, const char* path, const struct open_how* how) {
  return (int)CallRetry(SYS_openat2, dir, path, how, sizeof(*how));
}
// Never retried: on Linux the descriptor is gone whatever close says. Errors of close carry no information
// for us.
inline void Close(int fd) {
  if (fd >= 0) (void)RawSyscall(SYS_close, fd);
}
[[nodiscard]] inline long Read(int fd, void* data, size_t size) {
  return CallRetry(SYS_read, fd, data, size);
}
[[nodiscard]] inline long Write(int fd, const void* data, size_t size) {
  return CallRetry(SYS_write, fd, data, size);
}
[[nodiscard]] inline long PreadAll(int fd, void* data, size_t size) {
  return CallRetry(SYS_pread64, fd, data, size, 0);
}
[[nodiscard]] inline int Dup3(int from, int to, int flags) {
  return (int)CallRetry(SYS_dup3, from, to, flags);
}
[[nodiscard]] inline int Fcntl(int fd, int command, long value) {
  return (int)CallRetry(SYS_fcntl, fd, command, value);
}
[[nodiscard]] inline int Ioctl(int fd, unsigned long request, long value) {
  return (int)CallRetry(SYS_ioctl, fd, request, value);
}
[[nodiscard]] inline int CloseRange(unsigned first, unsigned last, unsigned flags) {
  return (int)Call(SYS_close_range, first, last, flags);
}
[[nodiscard]] inline int SocketPair(int type, int* pair) {
  return (int)Call(SYS_socketpair, AF_UNIX, type | SOCK_CLOEXEC, 0, pair);
}
[[nodiscard]] inline int Socket(int family, int type) {
  return (int)Call(SYS_socket, family, type | SOCK_CLOEXEC, 0);
}
[[nodiscard]] inline int SetSocketOption(int fd, int level, int option, int value) {
  return (int)Call(SYS_setsockopt, fd, level, option, &value, sizeof(value));
}
[[nodiscard]] inline long SendMsg(int fd, const struct msghdr* message, int flags) {
  return CallRetry(SYS_sendmsg, fd, message, flags | MSG_NOSIGNAL);
}
[[nodiscard]] inline long RecvMsg(int fd, struct msghdr* message, int flags) {
  return CallRetry(SYS_recvmsg, fd, message, flags | MSG_CMSG_CLOEXEC);
}
[[nodiscard]] inline int Ppoll(struct pollfd* fds, unsigned count, const struct timespec* timeout) {
  return (int)Call(SYS_ppoll, fds, count, timeout, 0, 0);
}

// --- files ---
[[nodiscard]] inline int MkdirAt(int dir, const char* path, mode_t mode) {
  return (int)Call(SYS_mkdirat, dir, path, mode);
}
[[nodiscard]] inline int MknodAt(int dir, const char* path, mode_t mode, unsigned device) {
  return (int)Call(SYS_mknodat, dir, path, mode, device);
}
[[nodiscard]] inline int SymlinkAt(const char* to, int dir, const char* path) {
  return (int)Call(SYS_symlinkat, to, dir, path);
}
[[nodiscard]] inline int UnlinkAt(int dir, const char* path, int flags) {
  return (int)Call(SYS_unlinkat, dir, path, flags);
}
[[nodiscard]] inline int FchmodAt(int dir, const char* path, mode_t mode) {
  return (int)Call(SYS_fchmodat, dir, path, mode);
}
// As getdents64 gives them, one after the other.
struct FolderEntry {
  uint64_t inode;
  int64_t offset;
  unsigned short size;
  unsigned char type;
  char name[];
};
constexpr unsigned char kEntryIsFolder = 4;
[[nodiscard]] inline long GetDents(int fd, void* data, size_t size) {
  return Call(SYS_getdents64, fd, data, size);
}
// The working folder's path from the root of the process; "(unreachable)…" when it does not lie beneath that.
// Bytes, with the NUL.
[[nodiscard]] inline long GetCwd(char* path, size_t size) { return Call(SYS_getcwd, path, size); }
[[nodiscard]] inline int StatX(int dir, const char* path, int flags, unsigned mask, struct statx* status) {
  return (int)Call(SYS_statx, dir, path, flags, mask, status);
}
// Whether the caller may execute the file behind `fd`.
[[nodiscard]] inline int MayExecute(int fd) {
  return (int)Call(439 /* faccessat2 */, fd, "", 1 /* X_OK */, AT_EMPTY_PATH);
}
[[nodiscard]] inline int Chdir(const char* path) { return (int)Call(SYS_chdir, path); }
[[nodiscard]] inline int Fchdir(int fd) { return (int)Call(SYS_fchdir, fd); }

// --- mounts ---
[[nodiscard]] inline int Mount(
    const char* source, const char* target, const char* type, unsigned long flags, const char* data) {
  return (int)Call(SYS_mount, source, target, type, flags, data);
}
[[nodiscard]] inline int Umount2(const char* target, int flags) {
  return (int)Call(SYS_umount2, target, flags);
}
[[nodiscard]] inline int PivotRoot(const char* root, const char* old) {
  return (int)Call(SYS_pivot_root, root, old);
}
[[nodiscard]] inline int FsOpen(const char* type) { return (int)Call(SYS_fsopen, type, FSOPEN_CLOEXEC); }
[[nodiscard]] inline int FsConfigString(int fd, const char* key, const char* value) {
  return (int)Call(SYS_fsconfig, fd, FSCONFIG_SET_STRING, key, value, 0);
}
[[nodiscard]] inline int FsConfigCreate(int fd) {
  return (int)Call(SYS_fsconfig, fd, FSCONFIG_CMD_CREATE, 0, 0, 0);
}
[[nodiscard]] inline int FsMount(int fd, unsigned attributes) {
  return (int)Call(SYS_fsmount, fd, FSMOUNT_CLOEXEC, attributes);
}
[[nodiscard]] inline int OpenTree(int dir, const char* path, unsigned flags) {
  return (int)Call(SYS_open_tree, dir, path, flags | OPEN_TREE_CLOEXEC);
}
// Moves the detached mount `from` onto `path` below `dir`; the last component may not be a symbolic link.
[[nodiscard]] inline int MoveMount(int from, int dir, const char* path) {
  return (int)Call(SYS_move_mount, from, "", dir, path, MOVE_MOUNT_F_EMPTY_PATH);
}
// Onto the opened place `to`.
[[nodiscard]] inline int MoveMountOnto(int from, int to) {
  constexpr unsigned kBothByDescriptor = MOVE_MOUNT_F_EMPTY_PATH | 0x40;  // MOVE_MOUNT_T_EMPTY_PATH
  return (int)Call(SYS_move_mount, from, "", to, "", kBothByDescriptor);
}
[[nodiscard]] inline int MountSetAttr(
    int fd, const char* path, unsigned flags, const struct mount_attr* attributes) {
  return (int)Call(SYS_mount_setattr, fd, path, flags, attributes, sizeof(*attributes));
}

// --- processes ---
// Inlined, as Vfork below: a child that shares our memory must run in the frame that made it.
[[nodiscard]] inline __attribute__((always_inline)) long Clone3(const struct clone_args* args) {
  return Call(SYS_clone3, args, sizeof(*args));
}
// As vfork(): the child runs in our memory, on our stack, while we wait for its exec or exit. It must not
// return.
[[nodiscard]] inline __attribute__((always_inline)) long Vfork() {
#if defined(__x86_64__)
  return Call(SYS_vfork);
#else
  return Call(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);
#endif
}
// A child with our memory and descriptors, and a stack of its own, while we go on. `run` must not return. At
// its exec or exit the kernel takes `running` to 0, and wakes who waits there.
[[nodiscard]] inline long CloneSharing(char* stackEnd, int& running, void (*run)(void*), void* argument) {
  return RawClone(CLONE_VM | CLONE_FILES | CLONE_CHILD_CLEARTID | SIGCHLD, stackEnd, &running, run, argument);
}
// Until `running` is 0.
inline void AwaitZero(const int& running) {
  for (int now; (now = __atomic_load_n(&running, __ATOMIC_ACQUIRE)) != 0;)
    (void)RawSyscall(SYS_futex, (long)&running, 0 /* FUTEX_WAIT */, now, 0);
}
[[nodiscard]] inline int Execve(const char* path, char* const* argv, char* const* envp) {
  return (int)Call(SYS_execve, path, argv, envp);
}
[[nodiscard]] inline int ExecveAt(
    int dir, const char* path, char* const* argv, char* const* envp, int flags) {
  return (int)Call(SYS_execveat, dir, path, argv, envp, flags);
}
[[noreturn]] inline void Exit(int code) {
  (void)RawSyscall(SYS_exit_group, code);
  (void)RawSyscall(SYS_exit, code);
  __builtin_trap();  // a filter of the caller's refuses both: die by the signal
}
[[nodiscard]] inline int WaitId(int type, int id, void* info, int options, struct rusage* usage) {
  return (int)CallRetry(SYS_waitid, type, id, info, options, usage);
}
[[nodiscard]] inline int Kill(int pid, int signal) { return (int)Call(SYS_kill, pid, signal); }
[[nodiscard]] inline int PidfdSendSignal(int pidfd, int signal) {
  return (int)Call(SYS_pidfd_send_signal, pidfd, signal, 0, 0);
}
[[nodiscard]] inline int Unshare(unsigned long flags) { return (int)Call(SYS_unshare, flags); }
[[nodiscard]] inline int SetSid() { return (int)Call(SYS_setsid); }
[[nodiscard]] inline int SetNice(int pid, int nice) {
  return (int)Call(SYS_setpriority, 0 /* PRIO_PROCESS */, pid, nice);
}
// A few bytes, which come whole or not at all.
[[nodiscard]] inline long RandomBytes(void* data, size_t size) {
  return CallRetry(SYS_getrandom, data, size, 0);
}
// -20 to 19; the system call has it the other way round.
[[nodiscard]] inline int Nice() { return 20 - (int)Call(SYS_getpriority, 0 /* PRIO_PROCESS */, 0); }
[[nodiscard]] inline int SetEffectiveUid(unsigned id) { return (int)Call(SYS_setresuid, -1, id, -1); }
[[nodiscard]] inline int SetResUid(unsigned id) { return (int)Call(SYS_setresuid, id, id, id); }
[[nodiscard]] inline int SetResGid(unsigned id) { return (int)Call(SYS_setresgid, id, id, id); }
[[nodiscard]] inline int ClearGroups() { return (int)Call(SYS_setgroups, 0, 0); }
[[nodiscard]] inline int Prctl(int option, unsigned long a = 0, unsigned long b = 0) {
  return (int)Call(SYS_prctl, option, a, b, 0, 0);
}
[[nodiscard]] inline int GetRlimit(int resource, struct rlimit* limit) {
  return (int)Call(SYS_prlimit64, 0, resource, 0, limit);
}
[[nodiscard]] inline int SetRlimit(int resource, const struct rlimit* limit) {
  return (int)Call(SYS_prlimit64, 0, resource, limit, 0);
}
[[nodiscard]] inline int SetHostName(const char* name, size_t size) {
  return (int)Call(SYS_sethostname, name, size);
}
[[nodiscard]] inline int SetDomainName(const char* name, size_t size) {
  return (int)Call(SYS_setdomainname, name, size);
}
// `handler`: SIG_DFL or SIG_IGN. KILL and STOP refuse.
inline void SetSignalHandler(int signal, void (*handler)(int)) {
  struct {
    void (*handler)(int);
    unsigned long flags;
    void* restorer;
    uint64_t mask;
  } action = {handler, 0, nullptr, 0};
  (void)Call(SYS_rt_sigaction, signal, &action, 0, sizeof(uint64_t));
}
[[nodiscard]] inline int SignalMask(int how, uint64_t set) {
  return (int)Call(SYS_rt_sigprocmask, how, &set, 0, sizeof(set));
}
[[nodiscard]] inline int SignalFd(uint64_t set) {
  return (int)Call(SYS_signalfd4, -1, &set, sizeof(set), O_NONBLOCK | O_CLOEXEC);
}
inline void Umask(unsigned mask) { (void)RawSyscall(SYS_umask, mask); }

// --- clocks ---
[[nodiscard]] inline int64_t ClockNs(int clock) {
  struct timespec now = {};
  if (Call(SYS_clock_gettime, clock, &now) < 0) return -1;
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}
[[nodiscard]] inline int64_t MonotonicNs() { return ClockNs(CLOCK_MONOTONIC); }
// The resolution of the coarse clocks; 0 when it is not told.
[[nodiscard]] inline uint64_t TickNs() {
  struct timespec tick = {};
  if (Call(SYS_clock_getres, CLOCK_MONOTONIC_COARSE, &tick) < 0) return 0;
  return (uint64_t)tick.tv_sec * 1'000'000'000ULL + (uint64_t)tick.tv_nsec;
}
[[nodiscard]] inline int NewTimer() {
  return (int)Call(SYS_timerfd_create, CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
}
// Makes it readable once, so long from now.
[[nodiscard]] inline int SetTimer(int timer, int64_t ns) {
  const struct itimerspec time = {{}, {ns / 1'000'000'000, ns % 1'000'000'000}};
  return (int)Call(SYS_timerfd_settime, timer, 0, &time, 0);
}
inline void SleepNs(int64_t ns) {
  struct timespec time = {ns / 1'000'000'000, ns % 1'000'000'000};
  (void)RawSyscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&time, 0);
}

}  // namespace sbx::sys
