/* die-together COUNT: so many children wait on one pipe, and end in the same moment; twenty rounds. */
#include "attack.h"
int main(int argc, char **argv) {
  (void)argc;
  int count = (int)number(argv, 1, 30), made = 0;
  for (int round = 0; round < 20; round++) {
    int gate[2];
    if (pipe(gate) != 0) die("pipe");
    for (int i = 0; i < count; i++) {
      pid_t pid = fork();
      if (pid < 0) break;
      made++;
      if (pid == 0) {
        char byte;
        close(gate[1]);
        (void)!read(gate[0], &byte, 1);
        _exit(i & 255);
      }
    }
    close(gate[0]);
    close(gate[1]);
    if (round % 2)
      while (wait(NULL) > 0) continue;
  }
  printf("%d children\n", made);
  return done();
}
