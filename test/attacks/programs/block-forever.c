/* block-forever KIND: fifo | flock | vfork | stopped | select | pause: sits in the kernel where nothing wakes it. */
#include <sys/file.h>
#include <sys/select.h>
#include "attack.h"
int main(int argc, char **argv) {
  const char *kind = argc > 1 ? argv[1] : "pause";
  if (!strcmp(kind, "fifo")) {
    mkfifo("f", 0600);
    (void)!open("f", O_RDONLY);
  } else if (!strcmp(kind, "flock")) {
    int fd = open("f", O_CREAT | O_RDWR, 0600);
    if (fork() == 0) {
      flock(open("f", O_RDWR), LOCK_EX);
      for (;;) pause();
    }
    pause_ms(50);
    flock(fd, LOCK_EX);
  } else if (!strcmp(kind, "vfork")) {
    if (vfork() == 0)
      for (;;) pause();
  } else if (!strcmp(kind, "stopped")) {
    setpgid(0, 0);
    for (int i = 0; i < 4; i++)
      if (fork() == 0) break;
    kill(0, SIGSTOP);
  } else if (!strcmp(kind, "select")) {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(0, &set);
    select(1, &set, NULL, NULL, NULL);
  }
  for (;;) pause();
}
