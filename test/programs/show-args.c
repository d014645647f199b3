/*
 * show-args …: prints its arguments, then its environment, one per line in brackets, then its working folder.
 */
#include "common.h"
extern char **environ;
int main(int argc, char **argv) {
  for (int i = 0; i < argc; i++) printf("arg [%s]\n", argv[i]);
  for (char **e = environ; *e; e++) printf("env [%s]\n", *e);
  char *folder = getcwd(NULL, 0);
  printf("cwd [%s]\n", folder ? folder : errno_name(errno));
  return 0;
}
