// Files in memory that are handed on: written whole, then sealed.
#pragma once

#include "../common/sys.h"

namespace sbx {

// 0, or a negative error number.
inline int WriteAll(int fd, const char* data, size_t size) {
  for (size_t at = 0; at < size;) {
    const long written = sys::Write(fd, data + at, size - at);
    if (written < 0) return (int)written;
    at += (size_t)written;
  }
  return 0;
}

// Whoever holds it can change neither content nor size, nor take the seals off.
inline int Seal(int fd) {
  constexpr int kAddSeals = 1033;  // F_ADD_SEALS
  constexpr int kSealShrinkGrowWriteSeal = 0x1 | 0x2 | 0x4 | 0x8;
  return sys::Fcntl(fd, kAddSeals, kSealShrinkGrowWriteSeal);
}

}  // namespace sbx
