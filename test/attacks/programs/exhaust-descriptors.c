/* exhaust-descriptors: opens, dups and passes on to children until EMFILE, in as many processes as it gets. */
#include <sys/socket.h>
#include "attack.h"
int main(void) {
  for (int i = 0; i < 16; i++)
    if (fork() == 0) break;
  while (open("/dev/null", O_RDONLY) >= 0 || errno != EMFILE)
    if (dup(0) < 0) break;
  printf("%s\n", errno_name(errno));
  pause_ms(300);
  return done();
}
