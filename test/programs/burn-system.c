/*
 * burn-system MS: spends its CPU time in the kernel, in a pipe to itself. Prints user and system time of its
 * own, in ms.
 */
#include <sys/resource.h>
#include "common.h"

int main(int argc, char **argv) {
  (void)argc;
  double until = number(argv, 1, 100);
  int ends[2];
  static char block[4096];
  if (pipe(ends) != 0) die("pipe");
  while (cpu_ms() < until)
    for (int i = 0; i < 50; i++)
      if (write(ends[1], block, sizeof block) < 0 || read(ends[0], block, sizeof block) < 0) die("pipe");
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  printf("%.3f %.3f\n", used.ru_utime.tv_sec * 1e3 + used.ru_utime.tv_usec / 1e3,
         used.ru_stime.tv_sec * 1e3 + used.ru_stime.tv_usec / 1e3);
  return 0;
}
