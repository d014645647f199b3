/*
 * die-by HOW: segv, fpe, ill, bus (real faults), abort, or the number of a signal to raise. Exits 0 if it
 * survives.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include "common.h"

static void bus(void) {
  int fd = memfd_create("empty", 0);
  char *at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
  volatile char read = *at; /* past the end of the file */
  (void)read;
}

int main(int argc, char **argv) {
  if (argc < 2) return 99;
  volatile int zero = 0;
  if (!strcmp(argv[1], "segv")) *(volatile int *)8 = 1;
  if (!strcmp(argv[1], "fpe")) zero = 7 / zero;
  if (!strcmp(argv[1], "ill")) __asm__ volatile("ud2");
  if (!strcmp(argv[1], "bus")) bus();
  if (!strcmp(argv[1], "abort")) abort();
  raise(atoi(argv[1]));
  return 0;
}
