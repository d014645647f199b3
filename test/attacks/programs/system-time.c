/* system-time pipe|calls: time in the kernel and next to none outside. */
#include "attack.h"
int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "calls"))
    for (;;) syscall(SYS_getppid);
  int there[2], back[2];
  char byte = 0;
  if (pipe(there) != 0 || pipe(back) != 0) die("pipe");
  int child = fork() == 0;
  for (;;) {
    if (child) {
      (void)!read(there[0], &byte, 1);
      (void)!write(back[1], &byte, 1);
    } else {
      (void)!write(there[1], &byte, 1);
      (void)!read(back[0], &byte, 1);
    }
  }
}
