/*
 * ticker PATH MS [away]: appends a byte to PATH each MS, for ever; with `away` from a grandchild in a session
 * of its own.
 */
#include <fcntl.h>
#include "common.h"
int main(int argc, char **argv) {
  if (argc < 3) return 99;
  if (argc > 3) {
    if (fork() != 0) return 0;
    setsid();
    if (fork() != 0) _exit(0);
  }
  int fd = open(argv[1], O_CREAT | O_WRONLY | O_APPEND, 0644);
  if (fd < 0) die("open");
  for (;;) {
    if (write(fd, ".", 1) != 1) return 1;
    pause_ms(atof(argv[2]));
  }
}
