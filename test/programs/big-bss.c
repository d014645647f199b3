/* Four GiB of zeroed data, one page of it touched: little memory, much address space. */
#include "common.h"
static char large[4ull << 30];
int main(int argc, char **argv) {
  (void)argv;
  large[argc * 4096] = 1;
  printf("%d\n", large[argc * 4096]);
  return 0;
}
