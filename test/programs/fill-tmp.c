/*
 * fill-tmp: fills /tmp with as little memory of its own as a program can have.
 */
#include <fcntl.h>

#include "common.h"
int main(void) {
  static char page[4096];
  int file = open("/tmp/x", O_WRONLY | O_CREAT, 0600);
  while (write(file, page, sizeof page) > 0) continue;
  printf("full\n");
  return 0;
}
