/* stop-parent [continue]: a child stops the main process, and with `continue` wakes it 5 s later. */
#include "attack.h"
int main(int argc, char **argv) {
  (void)argv;
  pid_t parent = getpid();
  if (fork() == 0) {
    kill(parent, SIGSTOP);
    if (argc > 1) {
      pause_ms(5000);
      kill(parent, SIGCONT);
    }
    _exit(0);
  }
  for (;;) pause();
}
