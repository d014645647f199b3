/* make-files FOLDER COUNT: makes COUNT empty files; prints how many and why it stopped. */
#include <fcntl.h>
#include "common.h"
int main(int argc, char **argv) {
  if (argc < 3) return 99;
  int wanted = atoi(argv[2]), made = 0;
  char path[300];
  for (errno = 0; made < wanted; made++) {
    snprintf(path, sizeof path, "%s/%d", argv[1], made);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    if (fd < 0) break;
    close(fd);
  }
  printf("%d %s\n", made, errno_name(made < wanted ? errno : 0));
  return 0;
}
