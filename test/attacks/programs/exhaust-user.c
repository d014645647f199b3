/*
 * exhaust-user take MS | use: takes all that the kernel counts per user (inotify instances, message queues, pending
 * signals, pipe pages) and holds it; `use` needs one of each.
 */
#include <mqueue.h>
#include <sys/inotify.h>
#include "attack.h"
int main(int argc, char **argv) {
  int taking = argc > 1 && !strcmp(argv[1], "take");
  int watches = 0, pipes = 0, signals = 0;
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  union sigval value = {0};
  int ends[2];
  if (!taking) {
    if (inotify_init1(0) < 0) got("no inotify instance is left");
    if (pipe(ends) != 0 || fcntl(ends[1], F_SETPIPE_SZ, 65536) < 0) got("no pipe pages are left");
    if (sigqueue(getpid(), SIGRTMIN, value) != 0) got("no pending signal is left");
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) got("no timer is left");
    return done();
  }
  while (inotify_init1(0) >= 0) watches++;
  while (signals < 1000000 && sigqueue(getpid(), SIGRTMIN, value) == 0) signals++;
  while (pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) > 0) pipes++;
  printf("%d instances, %d signals, %d pipes\n", watches, signals, pipes);
  fflush(stdout);
  pause_ms(number(argv, 2, 500));
  return done();
}
