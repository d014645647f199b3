/*
 * stop [all]: stops itself; with `all` a child stops the parent first, then itself, so that nobody is left to
 * wake them.
 */
#include "common.h"
int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1 && fork() == 0) kill(getppid(), SIGSTOP);
  raise(SIGSTOP);
  return 0;
}
