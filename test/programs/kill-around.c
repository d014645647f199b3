/*
 * kill-around: sends each of a few signals to pid 1, to its parent and to everything it can reach but itself;
 * exits 0.
 */
#include "common.h"
int main(void) {
  static const int numbers[] = {SIGKILL, SIGSTOP, SIGTERM, SIGHUP, SIGINT, SIGUSR1, SIGSEGV};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    kill(1, numbers[i]);
    kill(getppid(), numbers[i]);
    if (numbers[i] != SIGKILL && numbers[i] != SIGSTOP) signal(numbers[i], SIG_IGN);
    kill(-1, numbers[i]);
  }
  printf("alive\n");
  return 0;
}
