/*
 * How a hostile program reports: one line per thing it tried, "what: ERRNO" when it was refused, "GOT what" when it
 * was not, "done" at the end, so that a program that died half-way is not taken for one that was refused.
 */
#ifndef SBX_ATTACK_H
#define SBX_ATTACK_H

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include "common.h"

/* `answer` of a call that must fail. */
static inline long tried(const char *what, long answer) {
  if (answer == -1)
    printf("%s: %s\n", what, errno_name(errno));
  else
    printf("GOT %s\n", what);
  fflush(stdout);
  errno = 0;
  return answer;
}

/* The errno must be this one. */
static inline void must_fail_with(const char *what, long answer, int error) {
  if (answer == -1 && errno == error)
    printf("%s: %s\n", what, errno_name(errno));
  else
    printf("GOT %s (%s)\n", what, answer == -1 ? errno_name(errno) : "no error");
  fflush(stdout);
  errno = 0;
}

static inline void got(const char *what) {
  printf("GOT %s\n", what);
  fflush(stdout);
}

static inline int done(void) {
  printf("done\n");
  fflush(stdout);
  return 0;
}

#endif
