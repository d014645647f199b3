// Fault injection into the addon, in a build for tests alone (`node native/build.mjs --faults`): any system
// call of its own can be made to fail once. As in helper/faults.h the table is a file, which a test reads and
// writes meanwhile.
#pragma once

#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

namespace sbx {

constexpr unsigned kFaultCalls = 512;

struct CallFaults {
  uint32_t armed;  // taken back to 0 by the one call that fails
  uint32_t number, skip, error;
  uint32_t made[kFaultCalls];  // how often each was made
};

inline CallFaults* OpenCallFaults() {
  const int file = open(SBX_FAULT_CALLS, O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* at = mmap(nullptr, sizeof(CallFaults), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return at == MAP_FAILED ? nullptr : static_cast<CallFaults*>(at);
}

// Opened when the addon is loaded: what runs between clone and exec must only look.
inline CallFaults* const gCallFaults = OpenCallFaults();

// The error number with which this call is to fail, or 0.
inline __attribute__((always_inline)) long InjectedCallFault(long number) {
  CallFaults* const faults = gCallFaults;
  if (faults == nullptr || number < 0 || number >= (long)kFaultCalls) return 0;
  __atomic_fetch_add(&faults->made[number], 1u, __ATOMIC_RELAXED);
  if (__atomic_load_n(&faults->armed, __ATOMIC_ACQUIRE) == 0 || faults->number != (uint32_t)number) return 0;
  if (__atomic_fetch_sub(&faults->skip, 1u, __ATOMIC_ACQ_REL) != 0) return 0;
  __atomic_store_n(&faults->armed, 0u, __ATOMIC_RELEASE);
  return faults->error;
}

}  // namespace sbx
