/* polite MS: says "ready"; at SIGTERM it works for MS more, says "bye" and exits 7. */
#include "common.h"
static volatile sig_atomic_t asked;
static void ask(int number) {
  (void)number;
  asked = 1;
}
int main(int argc, char **argv) {
  (void)argc;
  sigset_t before, term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  sigprocmask(SIG_BLOCK, &term, &before); // or it may come between the look and the pause
  signal(SIGTERM, ask);
  (void)!write(1, "ready\n", 6);
  while (!asked) sigsuspend(&before);
  sigprocmask(SIG_SETMASK, &before, NULL);
  pause_ms(number(argv, 1, 0));
  (void)!write(1, "bye\n", 4);
  return 7;
}
