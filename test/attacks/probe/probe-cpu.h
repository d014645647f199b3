/* What this CPU has. Rows that it decides, and not the sandbox, say so, and are the same on every machine. */
#ifndef SBX_PROBE_CPU_H
#define SBX_PROBE_CPU_H

#include "probe.h"
#include <sys/auxv.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#ifdef __x86_64__
enum { LEAF_EXTENDED = 7, EBX_AVX512 = 1 << 16, ECX_PROTECTION_KEYS = 1 << 4 /* switched on by the kernel */, ECX_XSAVE = 1 << 27, STATES_AVX512 = 0xe6 };

static inline int cpu_has_protection_keys(void) {
  unsigned a, b, c, d;
  return __get_cpuid_count(LEAF_EXTENDED, 0, &a, &b, &c, &d) && (c & ECX_PROTECTION_KEYS);
}

/* The CPU has the instructions, and the kernel saves their registers. */
static inline int cpu_has_avx512(void) {
  unsigned a, b, c, d, states, high;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & ECX_XSAVE)) return 0;
  __asm__ volatile("xgetbv" : "=a"(states), "=d"(high) : "c"(0));
  return (states & STATES_AVX512) == STATES_AVX512 && __get_cpuid_count(LEAF_EXTENDED, 0, &a, &b, &c, &d) && (b & EBX_AVX512);
}
#else
/* arm64: permission overlays. */
static inline int cpu_has_protection_keys(void) { return getauxval(AT_HWCAP2) >> 63 & 1; }
static inline int cpu_has_avx512(void) { return 0; }
#endif

/* The text for an outcome that is what this CPU's features make of a call that is allowed; any other outcome as it is. */
static inline const char *if_cpu_has(int has, const char *said, const char *without) {
  const int fits = has ? !strcmp(said, "OK") : strstr(without, said) != NULL;
  return fits ? "OK if the CPU has it" : said;
}

#endif
