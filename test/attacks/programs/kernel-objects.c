/*
 * kernel-objects KIND: small objects that cost the kernel memory and the program nothing, until they are refused:
 * eventfds, epolls, timerfds, inotify watches, POSIX timers, queued signals. Ends well with "done".
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include "attack.h"
static long make_eventfds(void) { return eventfd(0, 0); }
static long make_epolls(void) { return epoll_create1(0); }
static long make_timerfds(void) { return timerfd_create(CLOCK_MONOTONIC, 0); }
static long make_timers(void) {
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_NONE};
  return timer_create(CLOCK_MONOTONIC, &event, &timer);
}
static long make_watches(void) {
  static int fd = -1, number;
  char name[32];
  if (fd < 0 && (fd = inotify_init1(0)) < 0) return -1;
  snprintf(name, sizeof name, "w%d", number++);
  if (mkdir(name, 0755) != 0) return -1;
  return inotify_add_watch(fd, name, IN_ALL_EVENTS);
}
static long make_signals(void) {
  static int blocked;
  if (!blocked) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    blocked = 1;
  }
  union sigval value = {0};
  return sigqueue(getpid(), SIGRTMIN, value);
}
static const struct {
  const char *name;
  long (*make)(void);
} kinds[] = {{"eventfds", make_eventfds}, {"epolls", make_epolls},   {"timerfds", make_timerfds},
             {"timers", make_timers},     {"watches", make_watches}, {"signals", make_signals}};
int main(int argc, char **argv) {
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (argc < 2 || strcmp(argv[1], kinds[i].name)) continue;
    long count = 0;
    while (count < 1000000 && kinds[i].make() >= 0) count++;
    printf("%ld %s: %s\n", count, kinds[i].name, errno_name(errno));
  }
  return done();
}
