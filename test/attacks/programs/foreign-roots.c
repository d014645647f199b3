/* foreign-roots: the root, folder, memory and executable of every process by number, its own aside. */
#include "attack.h"
static void try_path(int pid, const char *what, int flags) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, what);
  int fd = open(path, flags);
  if (fd >= 0) got(path);
}
int main(void) {
  int visible = 0;
  for (int pid = 1; pid <= 40000; pid++) {
    char path[32];
    struct stat seen;
    snprintf(path, sizeof path, "/proc/%d", pid);
    if (pid == getpid() || stat(path, &seen) != 0) continue;
    visible++;
    if (pid != 1) got(path);
    static const char *const reads[] = {"root/etc/passwd", "cwd/.", "root/..", "environ", "mem", "maps", "exe", "fd"};
    for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++) try_path(pid, reads[i], O_RDONLY);
  }
  int fd = open("/proc/self/root/etc/shadow", O_RDONLY);
  tried("own root's shadow", fd);
  printf("%d other processes visible\n", visible);
  return done();
}
