/*
 * leave-orphan HOW MS: ends at once, and leaves a grandchild that holds the output open: it sleeps or burns
 * for MS, then says "late".
 */
#include "common.h"
int main(int argc, char **argv) {
  if (argc < 3) return 99;
  if (fork() != 0) return 0;
  setsid();
  if (fork() != 0) _exit(0);
  if (!strcmp(argv[1], "burn"))
    spin_until_cpu(atof(argv[2]));
  else
    pause_ms(atof(argv[2]));
  (void)!write(1, "late\n", 5);
  return 0;
}
