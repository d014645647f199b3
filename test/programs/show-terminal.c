/*
 * show-terminal [COUNT]: prints which of fds 0-2 are terminals, and the window size; then again at each of
 * COUNT size changes.
 */
#include <sys/ioctl.h>
#include "common.h"
static volatile sig_atomic_t changes;
static void changed(int number) {
  (void)number;
  changes++;
}
static void show(void) {
  struct winsize size = {0};
  ioctl(0, TIOCGWINSZ, &size);
  printf("%d%d%d %dx%d\n", isatty(0), isatty(1), isatty(2), size.ws_col, size.ws_row);
  fflush(stdout);
}
int main(int argc, char **argv) {
  (void)argc;
  signal(SIGWINCH, changed);
  show();
  sigset_t none;
  sigemptyset(&none);
  for (int seen = 0; seen < (int)number(argv, 1, 0);) {
    if (changes == seen) pause_ms(2);
    if (changes > seen) {
      seen = changes;
      show();
    }
  }
  return 0;
}
