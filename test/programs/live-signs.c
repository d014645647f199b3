/*
 * live-signs PATH: appends the time to PATH each millisecond, in ms of CLOCK_MONOTONIC, for ever. Its last line says when
 * it did something at last.
 */
#include <fcntl.h>
#include "common.h"
int main(int argc, char **argv) {
  if (argc < 2) return 99;
  const int file = open(argv[1], O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) die("open");
  for (;;) {
    if (dprintf(file, "%.3f\n", wall_ms()) < 0) die("write");
    pause_ms(1);
  }
}
