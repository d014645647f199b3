/* fill-disk KIND: fallocate | write | inodes | lines | ignore-xfsz: as much disk as it can get. */
#include "attack.h"
static char block[1 << 20];
static void report(const char *what, long long count) { printf("%s %lld: %s\n", what, count, errno_name(errno)); }
int main(int argc, char **argv) {
  const char *kind = argc > 1 ? argv[1] : "write";
  const char *const folders[] = {"/w", "/tmp", "/dev/shm"};
  signal(SIGXFSZ, SIG_IGN);
  if (!strcmp(kind, "signal")) signal(SIGXFSZ, SIG_DFL);
  for (int i = 0; i < 3; i++) {
    (void)!chdir(folders[i]);
    int fd = open("fill", O_CREAT | O_WRONLY, 0600);
    long long count = 0;
    if (!strcmp(kind, "fallocate")) tried("100 GiB", fallocate(fd, 0, 0, 100LL << 30));
    if (!strcmp(kind, "inodes"))
      for (char name[32]; snprintf(name, sizeof name, "i%lld", count), mknod(name, S_IFREG | 0600, 0) == 0;) count++;
    if (!strcmp(kind, "lines"))
      while (count < 1 << 24 && write(fd, "\n", 1) == 1) count++;
    if (!strcmp(kind, "write") || !strcmp(kind, "signal"))
      while (count < 1024 && write(fd, block, sizeof block) > 0) count++;
    report(folders[i], count);
    close(fd);
    (void)!truncate("fill", 0);
  }
  return done();
}
