/* raise-limits: tries what only a privileged process may; prints "what errno" per line. */
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include "common.h"

static void report(const char *what, int failed) {
  printf("%s %s\n", what, failed ? errno_name(errno) : "OK");
}

static void *map_64_mib(void) { return mmap(NULL, 64 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

int main(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_max += 1000;
  report("nofile", setrlimit(RLIMIT_NOFILE, &limit));
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_max = RLIM_INFINITY;
  report("fsize", setrlimit(RLIMIT_FSIZE, &limit));
  struct rlimit much = {RLIM_INFINITY, RLIM_INFINITY};
  report("prlimit-init", prlimit(1, RLIMIT_NOFILE, &much, NULL));
  report("nice", setpriority(PRIO_PROCESS, 0, -20));
  struct sched_param first = {.sched_priority = 1};
  report("fifo", sched_setscheduler(0, SCHED_FIFO, &first));
  report("mlock", mlockall(MCL_CURRENT | MCL_FUTURE) || map_64_mib() == MAP_FAILED);
  report("setuid-0", setresuid(0, 0, 0));
  report("setgid-0", setresgid(0, 0, 0));
  return 0;
}
