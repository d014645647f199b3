/*
 * flood FD BYTES [PROGRESS]: writes BYTES (0: for ever) of the repeating line below to FD. PROGRESS is a file
 * that always holds the number of bytes accepted so far. On an error: its name on fd 2, exit code 1.
 */
#include <fcntl.h>
#include "common.h"

#define LINE "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+\n"

static void report(int fd, unsigned long long done) {
  char text[32];
  int length = snprintf(text, sizeof text, "%-20llu", done);
  if (fd >= 0 && pwrite(fd, text, length, 0) < 0) _exit(98);
}

int main(int argc, char **argv) {
  if (argc < 3) return 99;
  static char chunk[65536];
  for (size_t i = 0; i < sizeof chunk; i += 64) memcpy(chunk + i, LINE, 64);
  int out = atoi(argv[1]);
  unsigned long long wanted = strtoull(argv[2], NULL, 10), done = 0;
  int progress = argc > 3 ? open(argv[3], O_CREAT | O_WRONLY, 0644) : -1;
  signal(SIGPIPE, SIG_IGN);
  while (wanted == 0 || done < wanted) {
    size_t at = done % 64, left = sizeof chunk - at;
    if (wanted && wanted - done < left) left = wanted - done;
    ssize_t wrote = write(out, chunk + at, left);
    if (wrote < 0) {
      fprintf(stderr, "%s\n", errno_name(errno));
      return 1;
    }
    report(progress, done += wrote);
  }
  return 0;
}
