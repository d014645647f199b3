/* sleep-ms MS: sleeps, then prints how long it took by its own monotonic clock. */
#include "common.h"
int main(int argc, char **argv) {
  (void)argc;
  double start = wall_ms();
  pause_ms(number(argv, 1, 100));
  printf("%.3f\n", wall_ms() - start);
  return 0;
}
