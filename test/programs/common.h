/*
 * Shared by the programs of this folder: clocks, numbers, errno names, one way to give up. Built with
 * -D_GNU_SOURCE.
 */
#ifndef SBX_PROGRAMS_COMMON_H
#define SBX_PROGRAMS_COMMON_H

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static inline double clock_ms(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static inline double wall_ms(void) { return clock_ms(CLOCK_MONOTONIC); }
static inline double cpu_ms(void) { return clock_ms(CLOCK_PROCESS_CPUTIME_ID); }

static inline void spin_until_cpu(double ms) {
  while (cpu_ms() < ms)
    for (volatile int i = 0; i < 2000; i++) {
    }
}

static inline void pause_ms(double ms) {
  struct timespec left = {(time_t)(ms / 1e3), (long)((ms - (time_t)(ms / 1e3) * 1e3) * 1e6)};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

static inline const char *errno_name(int error) {
  const char *name = strerrorname_np(error);
  return name ? name : "UNKNOWN";
}

/* Exit code 99 is kept for "the test program itself could not do its job". */
static inline void die(const char *what) {
  fprintf(stderr, "%s: %s\n", what, errno_name(errno));
  exit(99);
}

static inline double number(char **argv, int index, double fallback) {
  for (int i = 0; i <= index; i++)
    if (!argv[i]) return fallback;
  return strtod(argv[index], NULL);
}

#endif
