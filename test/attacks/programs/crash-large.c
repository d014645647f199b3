/* crash-large: a crash with 48 MiB of memory that somebody might write down. */
#include "attack.h"
int main(void) {
  size_t bytes = 48 << 20;
  char *at = malloc(bytes);
  memset(at, 'x', bytes);
  *(volatile int *)8 = 1;
  return 0;
}
