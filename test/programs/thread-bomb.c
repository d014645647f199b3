/*
 * thread-bomb [hold]: makes threads until it fails, prints how many and why, then spins in all of them (or
 * ends, with `hold`).
 */
#include <pthread.h>
#include "common.h"

static int spinning = 1;

static void *work(void *unused) {
  while (spinning) {
  }
  for (;;) pause();
  return unused;
}

int main(int argc, char **argv) {
  if (argc > 1) spinning = 0;
  (void)argv;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  int count = 0, error;
  pthread_t thread;
  while ((error = pthread_create(&thread, &small, work, NULL)) == 0 && count < 100000) count++;
  printf("%d %s\n", count, errno_name(error));
  fflush(stdout);
  if (argc > 1) _exit(0);
  work(NULL);
}
