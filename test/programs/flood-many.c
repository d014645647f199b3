/* flood-many COUNT: COUNT processes flood stdout and stderr in turn, for ever, deaf to SIGPIPE. */
#include "common.h"
int main(int argc, char **argv) {
  (void)argc;
  static char chunk[8192];
  memset(chunk, 'x', sizeof chunk);
  signal(SIGPIPE, SIG_IGN);
  for (int i = 1; i < (int)number(argv, 1, 1); i++)
    if (fork() == 0) break;
  for (;;) {
    (void)!write(1, chunk, sizeof chunk);
    (void)!write(2, chunk, sizeof chunk);
  }
}
