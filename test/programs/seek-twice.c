/* seek-twice FD: prints where the descriptor stands, its first 8 bytes, the same 8 read again after seeking back, and the same through /proc. */
#include <fcntl.h>
#include "common.h"

static void show(int fd) {
  char block[9] = {0};
  if (read(fd, block, 8) < 0) die("read");
  printf("%s\n", block);
}

int main(int argc, char **argv) {
  if (argc < 2) return 99;
  int fd = atoi(argv[1]);
  char path[64];
  printf("%lld\n", (long long)lseek(fd, 0, SEEK_CUR));
  show(fd);
  if (lseek(fd, 0, SEEK_SET) < 0) die("lseek");
  show(fd);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  int again = open(path, O_RDONLY);
  if (again < 0) die("open");
  show(again);
  return 0;
}
