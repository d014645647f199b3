/*
 * talk ROUNDS first|second: ping-pong of numbers over fds 3 (in) and 4 (out); prints the last number it saw.
 */
#include "common.h"
int main(int argc, char **argv) {
  if (argc < 3) return 99;
  int rounds = atoi(argv[1]), first = !strcmp(argv[2], "first");
  uint32_t value = 0;
  for (int i = 0; i < rounds; i++) {
    if (first && (value++, write(4, &value, sizeof value) != sizeof value)) die("write");
    if (read(3, &value, sizeof value) != sizeof value) die("read");
    if (!first && (value++, write(4, &value, sizeof value) != sizeof value)) die("write");
  }
  printf("%u\n", value);
  return 0;
}
