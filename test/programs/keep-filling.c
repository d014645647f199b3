/*
 * keep-filling files|folders FOLDER COUNT: so many processes go into FOLDER and make files in it for ever, or
 * folders, each in the last one. Says "ready".
 */
#include <fcntl.h>
#include <sys/stat.h>
#include "common.h"

static void make_files(int number) {
  char name[64];
  for (unsigned i = 0;; i++) {
    snprintf(name, sizeof name, "%d-%u", number, i);
    close(open(name, O_CREAT | O_WRONLY, 0600));
  }
}

static void make_folders(int number) {
  char name[64];
  snprintf(name, sizeof name, "%d", number);
  for (;;)
    if (mkdir(name, 0700) == 0 && chdir(name) != 0) die("chdir");
}

int main(int argc, char **argv) {
  if (argc < 4) return 99;
  if (chdir(argv[2]) != 0) die("chdir");
  for (int i = 0; i < atoi(argv[3]); i++)
    if (fork() == 0) (strcmp(argv[1], "files") == 0 ? make_files : make_folders)(i);
  usleep(300000);
  printf("ready\n");
  fflush(stdout);
  pause();
}
