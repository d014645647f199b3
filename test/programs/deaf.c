/* deaf [spin]: ignores and blocks every signal it can, says "ready", then sleeps or spins for ever. */
#include "common.h"
int main(int argc, char **argv) {
  (void)argv;
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  for (int number = 1; number < 65; number++) signal(number, SIG_IGN);
  (void)!write(1, "ready\n", 6);
  for (;;)
    if (argc == 1) pause_ms(1000);
}
