/* use-stack BYTES (0: without end): calls itself until it stands BYTES deep, then prints the depth. */
#include "common.h"
static char *top;
static size_t wanted;
static size_t deeper(void) {
  volatile char frame[1024];
  frame[0] = 1;
  size_t depth = (size_t)(top - (char *)frame);
  if (wanted && depth >= wanted) return depth;
  size_t reached = deeper();
  return reached + (frame[0] - 1);
}
int main(int argc, char **argv) {
  (void)argc;
  wanted = (size_t)number(argv, 1, 0);
  char here;
  top = &here;
  printf("%zu\n", deeper());
  return 0;
}
