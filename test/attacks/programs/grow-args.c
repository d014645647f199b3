/* grow-args: executes itself with twice the arguments, until the kernel says that it is too much. */
#include "attack.h"
int main(int argc, char **argv) {
  char **more = calloc(2 * argc + 2, sizeof *more);
  char filler[4096];
  memset(filler, 'a', sizeof filler - 1);
  filler[sizeof filler - 1] = 0;
  for (int i = 0; i < argc; i++) more[i] = argv[i];
  for (int i = argc; i < 2 * argc + 1; i++) more[i] = filler;
  execv("/proc/self/exe", more);
  must_fail_with("exec", -1, E2BIG);
  return done();
}
