/*
 * read-paths PATH…: tries to open and read each; prints "path: N" (bytes of the first read, or entries of a
 * folder) or an errno name.
 */
#include <dirent.h>
#include <fcntl.h>
#include "common.h"

static int entries(int fd) {
  DIR *folder = fdopendir(fd);
  int count = 0;
  while (readdir(folder)) count++;
  closedir(folder);
  return count;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    char block[4096];
    int fd = open(argv[i], O_RDONLY | O_NONBLOCK);
    ssize_t got = fd < 0 ? -1 : read(fd, block, sizeof block);
    if (got < 0 && fd >= 0 && errno == EISDIR) got = entries(fd);
    if (got < 0)
      printf("%s: %s\n", argv[i], errno_name(errno));
    else
      printf("%s: %zd\n", argv[i], got);
  }
  return 0;
}
