/* poison: leaves its sandbox in the worst state it can: emptied, filled, closed folders, everything killed, its name changed. */
#include <sys/prctl.h>
#include "attack.h"
int main(void) {
  (void)!system("rm -rf /w/* /w/.* /tmp/* 2>/dev/null");
  static const char *const folders[] = {"/w", "/tmp", "/dev/shm"};
  for (int i = 0; i < 3; i++) {
    if (chdir(folders[i]) != 0) continue;
    mkdir("closed", 0700);
    (void)!symlink("/proc/self/root", "closed/link");
    mkfifo("fifo", 0);
    chmod("closed", 0);
    static char block[65536];
    int fd = open("fill", O_CREAT | O_WRONLY, 0);
    while (write(fd, block, sizeof block) > 0) continue;
    chmod(folders[i], 0);
  }
  umask(0777);
  prctl(PR_SET_NAME, "sbx-init");
  if (fork() == 0) {
    setsid();
    for (;;) pause();
  }
  kill(-1, SIGSTOP);
  return done();
}
