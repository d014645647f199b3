/*
 * leave-many COUNT [apart]: ends at once, and leaves so many children that only wait; `apart` in a process
 * group each.
 */
#include "common.h"
int main(int argc, char **argv) {
  for (int left = (int)number(argv, 1, 1); left > 0; left--) {
    pid_t child = fork();
    if (child == 0)
      for (;;) pause();
    if (argc > 2 && child > 0 && setpgid(child, child) < 0) die("setpgid");
  }
  return argc < 2 ? 99 : 0;
}
