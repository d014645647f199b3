/*
 * watch-cpus PATH: appends a line to PATH for each time that a CPU of the machine was away for over 2 ms: its number, and
 * when that began and ended, in ms of CLOCK_MONOTONIC. A thread of the highest class there is wakes on each CPU once a
 * millisecond, so no program can keep it from running: it is late when the machine below takes a virtual CPU away.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include "common.h"

static const double PERIOD_MS = 1, AWAY_MS = 2;
static int log_fd;

static void *watch(void *arg) {
  const int cpu = (int)(intptr_t)arg;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  const struct sched_param highest = {.sched_priority = sched_get_priority_max(SCHED_FIFO)};
  if (sched_setaffinity(0, sizeof(one), &one) != 0) return NULL; /* not a CPU of ours */
  if (sched_setscheduler(0, SCHED_FIFO, &highest) != 0) die("sched_setscheduler");
  for (;;) {
    const double due = wall_ms() + PERIOD_MS;
    pause_ms(PERIOD_MS);
    const double end = wall_ms();
    if (end - due > AWAY_MS && dprintf(log_fd, "%d %.3f %.3f\n", cpu, due, end) < 0) exit(1);
  }
}

int main(int argc, char **argv) {
  if (argc < 2) return 99;
  log_fd = open(argv[1], O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0644);
  if (log_fd < 0) die("open");
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (long cpu = sysconf(_SC_NPROCESSORS_CONF); cpu-- > 0;) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch, (void *)(intptr_t)cpu) != 0) die("pthread_create");
  }
  for (;;) pause();
}
