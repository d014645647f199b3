/*
 * burn-cpu MS [THREADS]: spins until its own process clock shows MS of CPU time, all threads
 * together, then prints what the clock shows. The independent figure that usage.cpuTimeMs is held against.
 */
#include <pthread.h>
#include "common.h"

static void *spin(void *until) {
  spin_until_cpu(*(double *)until);
  return NULL;
}

int main(int argc, char **argv) {
  (void)argc;
  double until = number(argv, 1, 100);
  int threads = (int)number(argv, 2, 1);
  pthread_t extra[64];
  for (int i = 1; i < threads && i < 64; i++)
    if ((errno = pthread_create(&extra[i], NULL, spin, &until)) != 0) die("pthread_create");
  spin(&until);
  for (int i = 1; i < threads && i < 64; i++) pthread_join(extra[i], NULL);
  printf("%.3f\n", cpu_ms());
  return 0;
}
