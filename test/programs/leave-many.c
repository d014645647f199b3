/* leave-many COUNT: ends at once, and leaves so many children that only wait. */
#include "common.h"
int main(int argc, char **argv) {
  for (int left = (int)number(argv, 1, 1); left > 0; left--)
    if (fork() == 0)
      for (;;) pause();
  return argc < 2 ? 99 : 0;
}
