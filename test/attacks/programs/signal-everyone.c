/*
 * signal-everyone HOW: `init` sends every signal to init, to its parent and to every number; `all` kills -1, then exits.
 */
#include "attack.h"
int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "all")) {
    kill(-1, SIGKILL);
    return done();
  }
  static const int signals[] = {SIGKILL, SIGSTOP, SIGTERM, SIGHUP, SIGINT, SIGUSR1, SIGSEGV, SIGCONT};
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
    kill(1, signals[i]);
    kill(getppid(), signals[i]);
    syscall(SYS_tgkill, 1, 1, signals[i]);
    int init = (int)syscall(SYS_pidfd_open, 1, 0);
    if (init >= 0) syscall(SYS_pidfd_send_signal, init, signals[i], NULL, 0);
    for (pid_t pid = 1; pid <= 32768; pid++)
      if (pid != getpid()) kill(pid, signals[i]);
  }
  return done();
}
