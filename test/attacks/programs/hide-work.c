/*
 * hide-work KIND: CPU time in places that look at it too simply.
 *   constructor | atexit | handler   before main, after it, in a signal handler at the end: 300 ms each
 *   daemons     main sleeps while four daemons burn 0.8 s each
 *   ignored     children under an ignored SIGCHLD burn 0.9 s each
 *   parts       1,000 children of 3 ms each, one after the other
 *   left        a daemon burns; main burns 100 ms and ends
 */
#include "attack.h"
static const char *kind = "";

__attribute__((constructor)) static void before_main(int argc, char **argv) {
  if (argc > 1) kind = argv[1];
  if (!strcmp(kind, "constructor")) spin_until_cpu(300);
}
static void at_the_end(void) { spin_until_cpu(300); }
static void on_signal(int number) {
  (void)number;
  spin_until_cpu(300);
  _exit(0);
}
static void daemon_burning(double ms) {
  if (fork() != 0) return;
  setsid();
  if (fork() == 0) spin_until_cpu(ms);
  _exit(0);
}
int main(void) {
  if (!strcmp(kind, "constructor")) return done();
  done();
  if (!strcmp(kind, "atexit")) {
    atexit(at_the_end);
    exit(0);
  }
  if (!strcmp(kind, "handler")) {
    signal(SIGTERM, on_signal);
    raise(SIGTERM);
  }
  if (!strcmp(kind, "daemons")) {
    for (int i = 0; i < 4; i++) daemon_burning(800);
    pause_ms(10000);
  }
  if (!strcmp(kind, "ignored")) {
    signal(SIGCHLD, SIG_IGN);
    for (int i = 0; i < 3; i++)
      if (fork() == 0) {
        spin_until_cpu(900);
        _exit(0);
      }
    pause_ms(10000);
  }
  if (!strcmp(kind, "parts"))
    for (int i = 0; i < 1000; i++) {
      pid_t pid = fork();
      if (pid == 0) {
        spin_until_cpu(3);
        _exit(0);
      }
      waitpid(pid, NULL, 0);
    }
  if (!strcmp(kind, "left")) {
    daemon_burning(5000);
    spin_until_cpu(100);
  }
  return 0;
}
