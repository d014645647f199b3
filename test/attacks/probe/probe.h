/* How the prober reports: a row per thing tried, "section subject = outcome". No number that differs from run to run is in a row. */
#ifndef SBX_PROBE_H
#define SBX_PROBE_H

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include "common.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static inline void row(const char *section, const char *subject, const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  printf("%s %s = ", section, subject);
  vprintf(format, rest);
  putchar('\n');
  va_end(rest);
}

/* The error of a call that answered, or OK. */
static inline const char *outcome(long answer) { return answer < 0 ? errno_name(errno) : "OK"; }

/* Numbers of inodes, processes and devices become N. */
static inline const char *without_numbers(const char *text) {
  static char kept[4][PATH_MAX];
  static int next;
  char *to = kept[next = (next + 1) % 4];
  char *at = to;
  while (*text && at < to + PATH_MAX - 2) {
    if (!isdigit((unsigned char)*text)) {
      *at++ = *text++;
      continue;
    }
    *at++ = 'N';
    while (isdigit((unsigned char)*text)) text++;
  }
  *at = 0;
  return to;
}

/*
 * Runs in a process of its own, and tells how it ended: what it wrote (at most a line), its signal, or that it waits for ever. What is
 * tried may end, block or change the process that tries.
 */
typedef const char *(*attempt)(long, long);

static inline const char *apart(attempt try, long a, long b) {
  static char said[64];
  int ends[2];
  if (pipe(ends)) die("pipe");
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    struct itimerval limit = {{0, 0}, {2, 0}};
    setitimer(ITIMER_REAL, &limit, NULL);
    const char *text = try(a, b);
    (void)!write(ends[1], text, strlen(text));
    _exit(0);
  }
  close(ends[1]);
  ssize_t size = read(ends[0], said, sizeof said - 1);
  close(ends[0]);
  int status = 0;
  if (child < 0) return "no process";
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  said[size > 0 ? size : 0] = 0;
  if (size > 0) return said;
  if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGALRM ? "waits" : sigabbrev_np(WTERMSIG(status));
  return "ends";
}

static inline int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Names of a folder, sorted; -1 when it cannot be read. */
static inline int names_of(const char *path, char **names, int most) {
  DIR *folder = opendir(path);
  if (!folder) return -1;
  int count = 0;
  for (struct dirent *entry; count < most && (entry = readdir(folder));)
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) names[count++] = strdup(entry->d_name);
  closedir(folder);
  qsort(names, count, sizeof *names, by_name);
  return count;
}

#endif
