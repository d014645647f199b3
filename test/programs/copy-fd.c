/* copy-fd FROM TO [BYTES]: copies from one descriptor to another to the end, or BYTES and then exits 0. */
#include "common.h"
int main(int argc, char **argv) {
  if (argc < 3) return 99;
  int from = atoi(argv[1]), to = atoi(argv[2]);
  unsigned long long left = argc > 3 ? strtoull(argv[3], NULL, 10) : ~0ull;
  static char block[65536];
  while (left > 0) {
    ssize_t got = read(from, block, left < sizeof block ? left : sizeof block);
    if (got < 0) die("read");
    if (got == 0) break;
    for (ssize_t done = 0, wrote; done < got; done += wrote)
      if ((wrote = write(to, block + done, got - done)) < 0) die("write");
    left -= got;
  }
  return 0;
}
