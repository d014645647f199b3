// Files in memory that nobody can change any more.
#pragma once

#include "sys.h"

namespace sbx {

constexpr int kSealShrinkGrowWriteSeal = 0x1 | 0x2 | 0x4 | 0x8;

// Whoever holds it can change neither content nor size, nor take the seals off.
inline int Seal(int fd) {
  constexpr int kAddSeals = 1033;  // F_ADD_SEALS
  return sys::Fcntl(fd, kAddSeals, kSealShrinkGrowWriteSeal);
}

// As a name for whoever looks at the descriptor.
constexpr const char* kInputName = "sbx-input";

}  // namespace sbx
