// Files in memory that are handed on: written whole, then sealed.
#pragma once

#include <linux/memfd.h>

#include "sys.h"
#include "text.h"

namespace sbx {

constexpr const char* kInputName = "sbx-input";  // for whoever looks at the descriptor

[[nodiscard]] inline int NewMemoryFile(const char* name) {
  return (int)sys::Call(SYS_memfd_create, name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

// 0, or a negative error number.
inline int WriteAll(int fd, const char* data, size_t size) {
  for (size_t at = 0; at < size;) {
    const long written = sys::Write(fd, data + at, size - at);
    if (written < 0) return (int)written;
    at += (size_t)written;
  }
  return 0;
}

// All of the regular file `from`, wherever its offset stands, copied by the kernel to where `to` stands.
// Bytes, or a negative error number.
inline long CopyAll(int from, int to) {
  constexpr long kPieceBytes = 64 << 20;
  int64_t offset = 0;
  for (;;) {
    const long copied = sys::CallRetry(SYS_sendfile, to, from, &offset, kPieceBytes);
    if (copied < 0) return copied;
    if (copied == 0) return (long)offset;
  }
}

constexpr int kSealShrinkGrowWriteSeal = 0x1 | 0x2 | 0x4 | 0x8;

// Whoever holds it can change neither content nor size, nor take the seals off.
inline int Seal(int fd) {
  constexpr int kAddSeals = 1033;  // F_ADD_SEALS
  return sys::Fcntl(fd, kAddSeals, kSealShrinkGrowWriteSeal);
}

inline bool IsSealed(int fd) {
  constexpr int kGetSeals = 1034;  // F_GET_SEALS
  const int seals = sys::Fcntl(fd, kGetSeals, 0);
  return seals >= 0 && (seals & kSealShrinkGrowWriteSeal) == kSealShrinkGrowWriteSeal;
}

// The file behind a descriptor opened anew, by the caller's own /proc: an offset and access of its own.
inline int Reopen(int fd, int flags) {
  Text<32> path;
  path << "/proc/self/fd/" << (uint64_t)fd;
  return sys::Open(AT_FDCWD, path.text(), flags | O_NOCTTY);
}

// A memory file opened for a program: read-only, at its start, also when the program opens it again through
// /proc/self/fd.
inline int ReadOnlyView(int fd) {
  if (const long set = RawSyscall(SYS_fchmod, fd, 0444); set < 0) return (int)set;
  return Reopen(fd, O_RDONLY);
}

inline int SealedView(int fd) {
  const int sealed = Seal(fd);
  return sealed < 0 ? sealed : ReadOnlyView(fd);
}

}  // namespace sbx
