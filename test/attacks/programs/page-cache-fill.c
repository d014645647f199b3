/* page-cache-fill read FILE | write FILE MIB: reads a file in pieces of 4 KiB, or writes one; needs next to no memory. */
#include "attack.h"
int main(int argc, char **argv) {
  if (argc < 3) return 99;
  static char page[4096];
  long long bytes = 0;
  if (!strcmp(argv[1], "read")) {
    int fd = open(argv[2], O_RDONLY);
    for (ssize_t size; (size = pread(fd, page, sizeof page, bytes)) > 0;) bytes += size;
  } else {
    long long most = (long long)number(argv, 3, 200) << 20;
    int fd = open(argv[2], O_CREAT | O_WRONLY | O_TRUNC, 0644);
    while (bytes < most && write(fd, page, sizeof page) == sizeof page) bytes += sizeof page;
  }
  printf("%lld bytes\n", bytes);
  return done();
}
