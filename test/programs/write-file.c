/*
 * write-file PATH BYTES [ignore]: writes a file of BYTES, with SIGXFSZ ignored if asked; prints bytes written
 * and why it stopped.
 */
#include <fcntl.h>
#include "common.h"
int main(int argc, char **argv) {
  if (argc < 3) return 99;
  if (argc > 3) signal(SIGXFSZ, SIG_IGN);
  static char block[65536];
  size_t wanted = (size_t)strtod(argv[2], NULL), done = 0;
  int fd = open(argv[1], O_CREAT | O_WRONLY | O_TRUNC, 0644);
  if (fd < 0) die("open");
  errno = 0;
  while (done < wanted) {
    ssize_t wrote = write(fd, block, wanted - done < sizeof block ? wanted - done : sizeof block);
    if (wrote < 0) break;
    done += wrote;
  }
  int error = done < wanted ? errno : 0;
  printf("%zu %s\n", done, errno_name(error));
  return error ? 1 : 0;
}
