/* open-many COUNT: opens /dev/null COUNT times without closing; prints how many and why it stopped. */
#include <fcntl.h>
#include "common.h"
int main(int argc, char **argv) {
  (void)argc;
  int wanted = (int)number(argv, 1, 1), made = 0;
  errno = 0;
  while (made < wanted && open("/dev/null", O_RDONLY) >= 0) made++;
  printf("%d %s\n", made, errno_name(made < wanted ? errno : 0));
  return 0;
}
