/* x32: getpid with the x32 bit set. Prints the errno name, or the pid. */
#include <sys/syscall.h>
#include "common.h"
int main(void) {
  long answer = syscall(0x40000000L | SYS_getpid);
  if (answer < 0)
    printf("%s\n", errno_name(errno));
  else
    printf("%ld\n", answer);
  return 0;
}
