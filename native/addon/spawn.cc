#include "spawn.h"

#include <errno.h>
#include <linux/memfd.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/channel.h"
#include "../common/memory_file.h"

namespace sbx {
namespace {

#ifndef MFD_EXEC
#define MFD_EXEC 0x10U
#endif

constexpr unsigned long kClearSighand = 0x100000000ULL;  // CLONE_CLEAR_SIGHAND

// The helper runs from a sealed copy in memory, so that no sandbox can ever reach the file it came from
// (CVE-2019-5736). Returns the copy or a negative error number.
int SealedCopy(const char* path) {
  Fd file(sys::Open(AT_FDCWD, path, O_RDONLY));
  if (!file) return file.release();
  int made = (int)sys::Call(SYS_memfd_create, "sbx-helper", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
  if (made == -EINVAL) made = NewMemoryFile("sbx-helper");
  if (made < 0) return made;
  Fd copy(made);
  char buffer[16384];
  for (;;) {
    const long size = sys::Read(file.get(), buffer, sizeof(buffer));
    if (size < 0) return (int)size;
    if (size == 0) break;
    if (const int written = WriteAll(made, buffer, (size_t)size); written < 0) return written;
  }
  // Programs have another user: before one is executed, /proc/self/exe is this file, and theirs to execute
  // nowhere.
  if (const long set = sys::Call(SYS_fchmod, made, 0500); set < 0) return (int)set;
  const int sealed = Seal(made);
  return sealed < 0 ? sealed : copy.release();
}

// Rootless: maps the caller's own ids to 0 of the new namespace. Prepared before the clone.
struct IdMaps {
  char uids[32], gids[32];
};

int WriteFileInChild(const char* path, const char* text) {
  const int file = sys::Open(AT_FDCWD, path, O_WRONLY);
  if (file < 0) return file;
  size_t size = 0;
  while (text[size] != '\0') ++size;
  const long written = sys::Write(file, text, size);
  sys::Close(file);
  return written < 0 ? (int)written : 0;
}

// Before exec, which takes all capabilities from whoever is nobody in its namespace. Without a right over
// groups in the namespace above, setgroups must be given up first.
int MapIdsInChild(const IdMaps& maps) {
  if (const int denied = WriteFileInChild("/proc/self/setgroups", "deny"); denied < 0) return denied;
  if (const int written = WriteFileInChild("/proc/self/uid_map", maps.uids); written < 0) return written;
  return WriteFileInChild("/proc/self/gid_map", maps.gids);
}

// Runs in our memory while we wait: only system calls.
[[noreturn]] void BecomeHelperInChild(int channel, int program, const IdMaps* maps, volatile int* error) {
  (void)sys::SignalMask(SIG_SETMASK, 0);
  if (maps != nullptr) {
    *error = MapIdsInChild(*maps);
    if (*error < 0) sys::Exit(127);
  }
  const int moved = sys::Dup3(channel, 3, 0);
  *error = moved < 0 ? moved : 0;
  if (moved >= 0) {
    // Also what other parts of the process left inheritable.
    (void)sys::CloseRange(4, ~0U, CLOSE_RANGE_CLOEXEC);
    for (int fd = 0; fd < 3; ++fd) (void)sys::Fcntl(fd, F_SETFD, FD_CLOEXEC);  // the helper needs no stdio
    char* const argv[] = {const_cast<char*>("sbx-helper"), nullptr};
    char* const envp[] = {nullptr};
    *error = sys::ExecveAt(program, "", argv, envp, AT_EMPTY_PATH);
  }
  sys::Exit(127);
}

}  // namespace

Spawned SpawnHelper(const char* path, bool rootless) {
  Spawned spawned;
  Fd program(SealedCopy(path));
  if (!program) {
    spawned.error = program.release();
    return spawned;
  }
  int pair[2];
  if ((spawned.error = sys::SocketPair(SOCK_SEQPACKET, pair)) < 0) return spawned;
  Fd host(pair[0]), helper(pair[1]);
  // Descriptor 3 must be free of what the child still needs.
  Fd high(sys::Fcntl(program.get(), F_DUPFD_CLOEXEC, 16));
  Fd channel(sys::Fcntl(helper.get(), F_DUPFD_CLOEXEC, 16));
  if (!high || !channel) {
    spawned.error = high ? channel.release() : high.release();
    return spawned;
  }

  int pidfd = -1;
  struct clone_args args = {};
  args.flags =
      CLONE_VM | CLONE_VFORK | CLONE_NEWPID | CLONE_PIDFD | kClearSighand | (rootless ? CLONE_NEWUSER : 0);
  args.pidfd = (uint64_t)&pidfd;
  IdMaps maps;
  (void)snprintf(maps.uids, sizeof(maps.uids), "0 %u 1\n", (unsigned)geteuid());
  (void)snprintf(maps.gids, sizeof(maps.gids), "0 %u 1\n", (unsigned)getegid());
  // No exit signal: libuv and other code of the process never hear of this child; we wait for it by pidfd.
  volatile int childError = 0;
  uint64_t all = ~0ULL, before = 0;  // no handler of this process may run in the child
  (void)sys::Call(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof(all));
  const long pid = sys::Clone3(&args);
  if (pid == 0) BecomeHelperInChild(channel.get(), high.get(), rootless ? &maps : nullptr, &childError);
  (void)sys::SignalMask(SIG_SETMASK, before);
  if (pid < 0) {
    spawned.error = (int)pid;
    return spawned;
  }
  Fd process(pidfd);
  if (childError < 0) {
    siginfo_t info;
    (void)sys::WaitId(P_PIDFD, pidfd, &info, WEXITED | __WALL, nullptr);
    spawned.error = childError;
    return spawned;
  }
  spawned.pid = (int)pid;
  spawned.pidfd = static_cast<Fd&&>(process);
  spawned.channel = static_cast<Fd&&>(host);
  spawned.error = 0;
  return spawned;
}

}  // namespace sbx
