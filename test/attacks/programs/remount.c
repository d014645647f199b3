/* remount [MS]: mounts, remounts, unmounts; after MS looks for what the host mounted meanwhile. */
#include <sys/mount.h>
#include "attack.h"
int main(int argc, char **argv) {
  (void)argc;
  mkdir("m", 0755);
  tried("tmpfs", mount("x", "m", "tmpfs", 0, NULL));
  tried("proc", mount("proc", "m", "proc", 0, NULL));
  tried("bind of the root", mount("/", "m", NULL, MS_BIND | MS_REC, NULL));
  tried("move", mount("/proc", "m", NULL, MS_MOVE, NULL));
  tried("/usr writable", mount("/usr", "/usr", NULL, MS_REMOUNT | MS_BIND, NULL));
  tried("/ writable", mount("/", "/", NULL, MS_REMOUNT, NULL));
  tried("shared", mount("/", "/", NULL, MS_SHARED | MS_REC, NULL));
  static const char *const own[] = {"/proc", "/dev", "/dev/shm", "/usr", "/w", "/tmp", "/"};
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) tried(own[i], umount2(own[i], MNT_DETACH));
  tried("pivot_root", syscall(SYS_pivot_root, ".", "m"));
  printf("tried all\n");
  fflush(stdout);
  pause_ms(number(argv, 1, 0));
  struct stat seen;
  tried("a mount of the host below a bound tree", stat("/data/late/secret", &seen));
  return done();
}
