/*
 * sparse-touch COUNT: touches one byte in each 2 MiB, COUNT times; the cost is page tables, invisible in RSS
 * terms of data.
 */
#include <sys/mman.h>
#include "common.h"
int main(int argc, char **argv) {
  (void)argc;
  size_t count = (size_t)number(argv, 1, 1);
  char *at = mmap(NULL, count << 21, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) die("mmap");
  madvise(at, count << 21, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < count; i++) at[i << 21] = 1;
  printf("%zu\n", count);
  return 0;
}
