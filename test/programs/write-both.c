/* write-both COUNT: writes "o1 e1 o2 e2 …", the o to stdout and the e to stderr, one write each. */
#include "common.h"
int main(int argc, char **argv) {
  (void)argc;
  for (int i = 1; i <= (int)number(argv, 1, 3); i++)
    for (int fd = 1; fd <= 2; fd++) {
      char word[32];
      int length = snprintf(word, sizeof word, "%c%d ", fd == 1 ? 'o' : 'e', i);
      (void)!write(fd, word, length);
    }
  return 0;
}
