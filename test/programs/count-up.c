/*
 * count-up MS: writes its own CPU time in ms, one line, each MS of it, for ever. The last line read by a
 * supervisor that killed it says how far it got at least.
 */
#include "common.h"
int main(int argc, char **argv) {
  (void)argc;
  double step = number(argv, 1, 1);
  for (double next = step;; next += step) {
    spin_until_cpu(next);
    char line[64];
    int length = snprintf(line, sizeof line, "%.3f\n", cpu_ms());
    if (write(1, line, length) < 0) return 1;
  }
}
