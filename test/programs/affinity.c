/* affinity [widen]: prints the CPUs it may run on; with `widen` it asks for all first. */
#include <sched.h>
#include "common.h"
int main(int argc, char **argv) {
  (void)argv;
  cpu_set_t set;
  if (argc > 1) {
    memset(&set, 0xff, sizeof set);
    sched_setaffinity(0, sizeof set, &set);
  }
  if (sched_getaffinity(0, sizeof set, &set) != 0) die("sched_getaffinity");
  const char *gap = "";
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &set)) {
      printf("%s%d", gap, cpu);
      gap = " ";
    }
  printf("\n");
  return 0;
}
