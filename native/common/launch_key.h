// Init loads a filter, and the start of a program sets a slice and loads the caller's filter, under filters
// that refuse both to programs. They show a key that is drawn once per engine, in arguments of the call that
// the kernel does not read.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "sys.h"

namespace sbx {

// 128 bits: 2^32 guesses take a program a quarter of an hour.
struct LaunchKey {
  uint32_t words[4] = {};

  uint64_t first() const { return (uint64_t)words[1] << 32 | words[0]; }
  uint64_t second() const { return (uint64_t)words[3] << 32 | words[2]; }
};

// The two arguments that hold it: sched_setattr and seccomp have three each.
constexpr unsigned kLaunchKeyArguments[] = {3, 4};

[[nodiscard]] inline int LoadFilter(const struct sock_fprog& program, const LaunchKey& key) {
  return (int)sys::Call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program, key.first(), key.second());
}

}  // namespace sbx
