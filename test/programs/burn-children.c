/*
 * burn-children HOW COUNT MS: COUNT children burn MS each by their own clock; the main process does nothing,
 * and prints the sum of what the children measured. HOW is how they hide from wait4's figures:
 *   reaped    waited for, one after another (none alive for long)
 *   parallel  all at once, then waited for
 *   ignored   SIGCHLD ignored: the kernel reaps them, rusage stays empty
 *   orphaned  forked twice, in a session of their own: never children of the main process
 *   left      as orphaned, but the main process ends at once and prints nothing
 */
#include <sys/mman.h>
#include <sys/wait.h>
#include "common.h"

static double *measured;
static volatile int *finished;

static void burn(int index, double ms) {
  spin_until_cpu(ms);
  measured[index] = cpu_ms();
  __atomic_add_fetch(finished, 1, __ATOMIC_SEQ_CST);
  _exit(0);
}

static void start(int index, double ms, int orphan) {
  pid_t pid = fork();
  if (pid < 0) die("fork");
  if (pid > 0) {
    if (orphan) waitpid(pid, NULL, 0);
    return;
  }
  if (orphan) {
    setsid();
    if (fork() != 0) _exit(0);
  }
  burn(index, ms);
}

int main(int argc, char **argv) {
  if (argc < 4) return 99;
  const char *how = argv[1];
  int count = atoi(argv[2]);
  double ms = atof(argv[3]);
  char *shared = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || count > 8000) die("mmap");
  finished = (volatile int *)shared;
  measured = (double *)(shared + 64);
  int orphan = !strcmp(how, "orphaned") || !strcmp(how, "left");
  if (!strcmp(how, "ignored")) signal(SIGCHLD, SIG_IGN);
  for (int i = 0; i < count; i++) {
    start(i, ms, orphan);
    if (!strcmp(how, "reaped")) wait(NULL);
  }
  if (!strcmp(how, "left")) return 0;
  while (*finished < count) pause_ms(1);
  while (wait(NULL) > 0) {
  }
  double sum = 0;
  for (int i = 0; i < count; i++) sum += measured[i];
  printf("%.3f\n", sum);
  return 0;
}
