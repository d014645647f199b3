/* recurse [alloca]: a stack without end. */
#include <alloca.h>
#include "attack.h"
#pragma GCC diagnostic ignored "-Winfinite-recursion"
static int deeper(volatile char *above) {
  volatile char here[4096];
  here[0] = above[0];
  return deeper(here) + here[0];
}
int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) {
    volatile char *at = alloca(1 << 30);
    for (size_t i = 0; i < 1 << 30; i += 4096) at[(1 << 30) - 1 - i] = 1;
    return at[0];
  }
  char start = 0;
  return deeper(&start);
}
