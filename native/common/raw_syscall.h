// The system call instruction itself, for x86-64 and arm64. No libc: the helper has none, and between clone
// and exec the addon must not use its own. The result is the kernel's: a value, or a negative error number.
#pragma once

#include <sys/syscall.h>

#ifdef SBX_FAULT_CALLS
#include "call_faults.h"
#endif

namespace sbx {

#ifndef SBX_FAULT_CALLS
inline __attribute__((always_inline)) long InjectedCallFault(long) { return 0; }
#endif

#if defined(SBX_FAKE_KERNEL)

// Native/fuzz/kernel.cc.
long RawSyscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0);
long RawClone(long flags, char* stackEnd, int* running, void (*run)(void*), void* argument);

#elif defined(__x86_64__)

inline __attribute__((always_inline)) long RawSyscall(
    long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  if (const long error = InjectedCallFault(number)) return -error;
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
      : "=a"(result)
      : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
      : "rcx", "r11", "memory");
  return result;
}

// clone(2): the child runs `run(argument)`, which must not return, on a stack of its own that ends there.
// `running`: its child_tid.
inline long RawClone(long flags, char* stackEnd, int* running, void (*run)(void*), void* argument) {
  if (const long error = InjectedCallFault(SYS_clone)) return -error;
  long result;
  register long r10 asm("r10") = (long)running;
  register long r8 asm("r8") = 0;
  asm volatile("syscall\n test %%rax, %%rax\n jnz 1f\n mov %[argument], %%rdi\n call *%[run]\n ud2\n1:"
      : "=a"(result)
      : "a"(SYS_clone), "D"(flags), "S"(stackEnd), "d"(0L), "r"(r10),
      "r"(r8), [run] "r"(run), [argument] "r"(argument)
      : "rcx", "r11", "cc", "memory");
  return result;
}

#elif defined(__aarch64__)

inline __attribute__((always_inline)) long RawSyscall(
    long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
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

inline long RawClone(long flags, char* stackEnd, int* running, void (*run)(void*), void* argument) {
  if (const long error = InjectedCallFault(SYS_clone)) return -error;
  register long x8 asm("x8") = SYS_clone;
  register long x0 asm("x0") = flags;
  register long x1 asm("x1") = (long)stackEnd;
  register long x2 asm("x2") = 0;
  register long x3 asm("x3") = 0;
  register long x4 asm("x4") = (long)running;
  asm volatile("svc #0\n cbnz x0, 1f\n mov x0, %[argument]\n blr %[run]\n brk #0\n1:"
      : "+r"(x0)
      : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), [run] "r"(run), [argument] "r"(argument)
      : "cc", "memory");
  return x0;
}

#else
#error "sbx knows x86-64 and arm64"
#endif

}  // namespace sbx
