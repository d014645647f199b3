/* vfork-chain [DEPTH]: each child vforks and the last one pauses, so every parent is stuck inside vfork. */
#include "common.h"
#pragma GCC diagnostic ignored "-Winfinite-recursion" /* it ends at 0; gcc does not see that vfork returns twice */
static void chain(int depth) {
  if (depth == 0)
    for (;;) pause();
  if (vfork() == 0) chain(depth - 1);
  for (;;) pause();
}
int main(int argc, char **argv) {
  (void)argc;
  chain((int)number(argv, 1, 10));
}
