/*
 * fork-bomb [HOW]:
 *   plain   every process forks for ever
 *   gone    as plain, but the main process exits at once
 *   deaf    every process forks twice, in new sessions, with all signals ignored and blocked
 */
#include "common.h"

static void turn_deaf(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  for (int number = 1; number < 65; number++) signal(number, SIG_IGN);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "plain";
  int deaf = !strcmp(how, "deaf");
  if (!strcmp(how, "gone") && fork() != 0) return 0;
  for (;;) {
    if (deaf) {
      turn_deaf();
      setsid();
    }
    (void)!fork(); /* at the limit it fails: try again for ever */
  }
}
