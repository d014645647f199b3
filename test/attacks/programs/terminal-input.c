/* terminal-input: types into every terminal it finds, as if its user had. */
#include <sys/ioctl.h>
#include "attack.h"
static void type_into(int fd, const char *name) {
  char what[64], key = '\n';
  snprintf(what, sizeof what, "TIOCSTI on %s", name);
  tried(what, ioctl(fd, TIOCSTI, &key));
  snprintf(what, sizeof what, "TIOCSTI with a high bit on %s", name);
  tried(what, syscall(SYS_ioctl, fd, 0x5412UL | 1UL << 32, &key));
  snprintf(what, sizeof what, "TIOCLINUX on %s", name);
  key = 3;
  tried(what, ioctl(fd, 0x541c, &key));
}
int main(void) {
  type_into(0, "0");
  type_into(1, "1");
  type_into(2, "2");
  int tty = open("/dev/tty", O_RDWR);
  if (tty >= 0) type_into(tty, "/dev/tty");
  return done();
}
