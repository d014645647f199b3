/* foreign-processes: lists /proc and reads what it can of every process that is not its own. */
#include <dirent.h>
#include "attack.h"
int main(void) {
  DIR *proc = opendir("/proc");
  if (!proc) die("/proc");
  static const char *const files[] = {"cmdline", "environ", "maps", "status", "stat", "cgroup", "mountinfo", "fd/0", "root/etc/passwd", "exe"};
  for (struct dirent *entry; (entry = readdir(proc));) {
    int pid = atoi(entry->d_name);
    if (pid == 0 || pid == getpid()) continue;
    if (pid != 1) got(entry->d_name);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
      char path[300], block[64];
      snprintf(path, sizeof path, "/proc/%s/%s", entry->d_name, files[i]);
      int fd = open(path, O_RDONLY);
      if (fd >= 0 && read(fd, block, sizeof block) > 0) got(path);
    }
  }
  return done();
}
