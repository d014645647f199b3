/* close-all MS: closes its three descriptors, then sleeps MS and exits 5. */
#include "common.h"
int main(int argc, char **argv) {
  (void)argc;
  for (int fd = 0; fd < 3; fd++) close(fd);
  pause_ms(number(argv, 1, 0));
  return 5;
}
