/* raise-everything: more limits, more priority, memory locked, for itself and for init. */
#include <sys/resource.h>
#include "attack.h"
static struct rlimit saved;
int main(void) {
  struct rlimit none = {0, 0}, kept;
  getrlimit(RLIMIT_CORE, &saved);
  (void)!setrlimit(RLIMIT_CORE, &none);  // succeeds, and changes nothing: 0 is no limit where dumps are piped
  (void)!prlimit(0, RLIMIT_CORE, &none, NULL);
  getrlimit(RLIMIT_CORE, &kept);
  if (kept.rlim_max != saved.rlim_max) got("another limit of core dumps");
  static const int resources[] = {RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_STACK, RLIMIT_MEMLOCK, RLIMIT_RTPRIO, RLIMIT_NICE, RLIMIT_MSGQUEUE};
  for (size_t i = 0; i < sizeof resources / sizeof resources[0]; i++) {
    getrlimit(resources[i], &saved);
    if (saved.rlim_max == RLIM_INFINITY) continue;
    struct rlimit more = {saved.rlim_cur, saved.rlim_max + 1};
    tried("a limit", setrlimit(resources[i], &more));
  }
  struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  tried("open files", setrlimit(RLIMIT_NOFILE, &all));
  for (int resource = 0; resource < RLIM_NLIMITS; resource++) {
    struct rlimit one = {1, 1};
    tried("a limit of init", prlimit(1, (enum __rlimit_resource)resource, &one, NULL));
  }
  errno = 0;
  tried("nice -20", setpriority(PRIO_PROCESS, 0, -20));
  tried("nice of init", setpriority(PRIO_PROCESS, 1, 19));
  struct sched_param parameter = {1};
  tried("FIFO", sched_setscheduler(0, SCHED_FIFO, &parameter));
  tried("RR", sched_setscheduler(0, SCHED_RR, &parameter));
  tried("idle class for init", sched_setscheduler(1, SCHED_IDLE, &(struct sched_param){0}));
  tried("real-time I/O", syscall(SYS_ioprio_set, 1, 0, 1 << 13));
  if (mmap(NULL, 256 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) die("mmap");
  tried("mlockall", mlockall(MCL_CURRENT | MCL_FUTURE));
  return done();
}
