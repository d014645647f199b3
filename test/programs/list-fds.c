/* list-fds: prints the numbers of all open descriptors, asked one by one, without /proc. */
#include <fcntl.h>
#include <sys/resource.h>
#include "common.h"
int main(void) {
  int open_fds[1024], count = 0;
  struct rlimit limit = {65536, 65536};
  getrlimit(RLIMIT_NOFILE, &limit);
  /* Descriptors above the limit can still be open when it was lowered later. */
  for (int fd = 0; fd < 65536 && count < 1024; fd++)
    if (fcntl(fd, F_GETFD) >= 0) open_fds[count++] = fd;
  for (int i = 0; i < count; i++) printf("%s%d", i ? " " : "", open_fds[i]);
  printf("\n");
  return 0;
}
