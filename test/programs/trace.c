/*
 * trace hold|stop: a child attaches to its parent, the main process, by ptrace, and keeps it: after its end (hold), so that
 * nobody else can wait for it, or in the middle of its life (stop).
 */
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include "common.h"

int main(int argc, char **argv) {
  int attached[2];
  if (argc < 2 || pipe(attached) != 0) die("trace");
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  pid_t parent = getpid();
  if (fork() == 0) {
    int status;
    if (ptrace(PTRACE_ATTACH, parent, NULL, NULL) != 0) die("attach");
    if (waitpid(parent, &status, __WALL) != parent) die("wait");
    printf("attached\n");
    fflush(stdout);
    if (!strcmp(argv[1], "hold")) ptrace(PTRACE_CONT, parent, NULL, NULL);
    (void)!write(attached[1], "", 1);
    for (;;) pause();
  }
  char byte;
  while (read(attached[0], &byte, 1) < 0 && errno == EINTR) {
  }
  return 0;
}
