/*
 * fifo-ask BYTE COUNT DIR...: a client of the two-pipe protocol as its page describes it: opens DIR/wait,
 * writes BYTE, closes; opens DIR/status, reads to end of file, closes. COUNT times, one directory after the
 * other. Once: prints the reply. More often: prints how long each took, in microseconds. Blocks where the
 * page says so, and has no time-out.
 */
#include <fcntl.h>
#include "common.h"

static char reply[65536];

static size_t ask(const char *dir, char byte) {
  char path[4200];
  snprintf(path, sizeof path, "%s/wait", dir);
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) die(path);
  if (write(fd, &byte, 1) != 1) die("write");
  close(fd);
  snprintf(path, sizeof path, "%s/status", dir);
  fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) die(path);
  size_t size = 0;
  for (ssize_t got; (got = read(fd, reply + size, sizeof reply - size)) != 0; size += (size_t)got)
    if (got < 0) die("read");
  close(fd);
  return size;
}

int main(int argc, char **argv) {
  if (argc < 4) die("usage");
  int count = (int)number(argv, 2, 1);
  for (int i = 0; i < count; i++) {
    double start = wall_ms();
    size_t size = ask(argv[3 + i % (argc - 3)], argv[1][0]);
    double took = wall_ms() - start;
    if (count == 1)
      fwrite(reply, 1, size, stdout);
    else
      printf("%.1f\n", took * 1000);
  }
  return 0;
}
