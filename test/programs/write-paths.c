/*
 * write-paths PATH…: tries to create or open each for writing and to write a byte; prints "path: OK" or an
 * errno name.
 */
#include <fcntl.h>
#include "common.h"
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    int fd = open(argv[i], O_WRONLY | O_CREAT | O_NONBLOCK, 0644);
    ssize_t wrote = fd < 0 ? -1 : write(fd, "x", 1);
    printf("%s: %s\n", argv[i], wrote == 1 ? "OK" : errno_name(errno));
    if (fd >= 0) close(fd);
  }
  return 0;
}
