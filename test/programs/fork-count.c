/*
 * fork-count N: makes N children that wait, prints how many there are and why it stopped ("0" for all made),
 * then ends them.
 */
#include <sys/wait.h>
#include "common.h"
int main(int argc, char **argv) {
  (void)argc;
  int wanted = (int)number(argv, 1, 1), made = 0;
  static pid_t children[10000];
  errno = 0;
  while (made < wanted && made < 10000) {
    pid_t pid = fork();
    if (pid < 0) break;
    if (pid == 0) {
      pause();
      _exit(0);
    }
    children[made++] = pid;
  }
  int error = made < wanted ? errno : 0;
  pause_ms(20);
  for (int i = 0; i < made; i++) kill(children[i], SIGKILL);
  while (wait(NULL) > 0) {
  }
  printf("%d %s\n", made, errno_name(error));
  return 0;
}
