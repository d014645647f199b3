/*
 * move-around SEED TARGET…: in its folder, names a to d become files, folders, and links to a TARGET or to each other, and change places, as
 * fast as its share of the CPU lets it, until it is killed.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "common.h"

static unsigned state;
static unsigned random_below(unsigned count) {
  state = state * 1103515245 + 12345;
  return (state >> 16) % count;
}

static const char *a_name(void) {
  static const char *const names[] = {"a", "b", "c", "d", "a/a", "a/b", "b/a", "c/d"};
  return names[random_below(8)];
}

int main(int argc, char **argv) {
  state = (unsigned)number(argv, 1, 1);
  if (argc < 3) return 99;
  printf("moving\n");
  fflush(stdout);
  for (;;) {
    const char *name = a_name();
    switch (random_below(7)) {
      case 0:
        mkdir(name, 0755);
        break;
      case 1:
        close(open(name, O_CREAT | O_WRONLY | O_NONBLOCK | O_CLOEXEC, 0755));
        break;
      case 2:
        unlink(name);
        break;
      case 3:
        (void)!symlink(argv[2 + random_below(argc - 2)], name);
        break;
      case 4:
        (void)!symlink(a_name(), name);
        break;
      default:
        syscall(SYS_renameat2, AT_FDCWD, name, AT_FDCWD, a_name(), random_below(3) ? 2 /* RENAME_EXCHANGE */ : 0);
    }
    if (random_below(8) == 0) pause_ms(0.2);
  }
}
