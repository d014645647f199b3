// What the made-up kernel knows of a call by its number alone: looked up at every call, so it is one step.
#pragma once

#include <stdint.h>
#include <sys/syscall.h>

#include <array>

namespace sbx::fuzz {

// What is said of calls by their number: a bit for each argument that is a text, and whether they make a
// descriptor of no special kind.
constexpr uint8_t kMakesDescriptor = 1 << 7;
inline constexpr auto kCalls = [] {
  constexpr struct {
    long number;
    uint8_t what;
  } kRows[] = {
      {SYS_openat, 1 << 1 | kMakesDescriptor},
      {SYS_openat2, 1 << 1 | kMakesDescriptor},
      {SYS_open_tree, 1 << 1 | kMakesDescriptor},
      {SYS_fsopen, 1 << 0 | kMakesDescriptor},
      {SYS_memfd_create, 1 << 0 | kMakesDescriptor},
      {SYS_fsmount, kMakesDescriptor},
      {SYS_socket, kMakesDescriptor},
      {444 /* landlock_create_ruleset */, kMakesDescriptor},
      {SYS_execve, 1 << 0},
      {SYS_mkdirat, 1 << 1},
      {SYS_mknodat, 1 << 1},
      {SYS_symlinkat, 1 << 0 | 1 << 2},
      {SYS_unlinkat, 1 << 1},
      {SYS_fchmodat, 1 << 1},
      {SYS_move_mount, 1 << 1 | 1 << 3},
      {SYS_chdir, 1 << 0},
      {SYS_statx, 1 << 1},
      {439 /* faccessat2 */, 1 << 1},
  };
  std::array<uint8_t, 512> calls = {};
  for (const auto& row : kRows) calls[(size_t)row.number] = row.what;
  return calls;
}();

inline uint8_t WhatIs(long number) {
  return number >= 0 && (size_t)number < kCalls.size() ? kCalls[(size_t)number] : 0;
}

}  // namespace sbx::fuzz
