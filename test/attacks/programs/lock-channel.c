/*
 * lock-channel send|receive MS: two concurrent programs, one file of the host, locks as bits. `send` holds every kind of
 * lock for MS; `receive` looks for so long whether anybody holds one, and says "GOT a bit" when it sees it.
 */
#include <sys/file.h>
#include "attack.h"
static int file(void) {
  int fd = open("/usr/bin/env", O_RDONLY);
  if (fd < 0) die("open");
  return fd;
}
int main(int argc, char **argv) {
  if (argc < 3) return 99;
  double end = wall_ms() + number(argv, 2, 500);
  int sending = !strcmp(argv[1], "send");
  int fd = file();
  struct flock posix = {.l_type = sending ? F_RDLCK : F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
  if (sending) {
    printf("flock: %s\n", flock(fd, LOCK_EX | LOCK_NB) ? errno_name(errno) : "held");
    printf("F_SETLK: %s\n", fcntl(fd, F_SETLK, &posix) ? errno_name(errno) : "held");
    printf("F_OFD_SETLK: %s\n", fcntl(file(), F_OFD_SETLK, &posix) ? errno_name(errno) : "held");
    printf("F_SETLEASE: %s\n", fcntl(fd, F_SETLEASE, F_RDLCK) ? errno_name(errno) : "held");
    fflush(stdout);
    pause_ms(end - wall_ms());
    return done();
  }
  int seen = 0;
  while (wall_ms() < end && !seen) {
    struct flock ask = posix;
    seen |= flock(fd, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK;
    flock(fd, LOCK_UN);
    seen |= fcntl(fd, F_GETLK, &ask) == 0 && ask.l_type != F_UNLCK;
    ask = posix;
    seen |= fcntl(fd, F_OFD_GETLK, &ask) == 0 && ask.l_type != F_UNLCK;
    pause_ms(1);
  }
  if (seen) got("a bit");
  return done();
}
