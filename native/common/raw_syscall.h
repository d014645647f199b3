// The system call instruction itself, for x86-64 and arm64. No libc: the helper has none, and between clone and exec
// the addon must not use its own. The result is the kernel's: a value, or a negative error number.
#pragma once

#ifdef SBX_FAULT_CALLS
#include "call_faults.h"
#endif

namespace sbx {

#ifndef SBX_FAULT_CALLS
inline __attribute__((always_inline)) long InjectedCallFault(long) { return 0; }
#endif

#if defined(SBX_FAKE_KERNEL)

long RawSyscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0);  // native/fuzz/kernel.cc

#elif defined(__x86_64__)

inline __attribute__((always_inline)) long RawSyscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  if (const long error = InjectedCallFault(number)) return -error;
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return result;
}

#elif defined(__aarch64__)

inline __attribute__((always_inline)) long RawSyscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  if (const long error = InjectedCallFault(number)) return -error;
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}

#else
#error "sbx knows x86-64 and arm64"
#endif

}  // namespace sbx
