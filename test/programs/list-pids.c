/* list-pids: prints every pid that answers kill(pid, 0) or has a folder in /proc, up to 40 000. */
#include "common.h"
int main(void) {
  const char *gap = "";
  for (int pid = 1; pid <= 40000; pid++) {
    char path[32];
    snprintf(path, sizeof path, "/proc/%d", pid);
    int known = kill(pid, 0) == 0 || errno == EPERM || access(path, F_OK) == 0;
    if (known) {
      printf("%s%d", gap, pid);
      gap = " ";
    }
  }
  printf("\nself %d\n", getpid());
  return 0;
}
