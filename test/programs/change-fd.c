/*
 * change-fd FD: tries to change the file behind a descriptor, in every way that there is; prints "way: OK" or an errno name
 * each, then what its link in /proc says.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "common.h"

static void tell(const char *way, int failed) { printf("%s: %s\n", way, failed ? errno_name(errno) : "OK"); }

static void reopen(const char *way, const char *path, int flags) {
  int fd = open(path, flags);
  tell(way, fd < 0 || write(fd, "X", 1) < 0);
  if (fd >= 0) close(fd);
}

int main(int argc, char **argv) {
  if (argc < 2) return 99;
  int fd = atoi(argv[1]);
  char path[64], link[4096];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  tell("write", write(fd, "X", 1) < 0);
  tell("truncate", ftruncate(fd, 0) < 0);
  tell("map", mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
  tell("chmod", fchmod(fd, 0666) < 0);
  reopen("reopen", path, O_RDWR);
  reopen("reopen to write", path, O_WRONLY);
  reopen("reopen to cut", path, O_WRONLY | O_TRUNC);
  ssize_t size = readlink(path, link, sizeof link - 1);
  link[size < 0 ? 0 : size] = 0;
  printf("%s\n", link);
  return 0;
}
