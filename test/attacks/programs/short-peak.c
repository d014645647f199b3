/*
 * short-peak WHERE: 60 MiB for a millisecond.
 *   here | child | grandchild | before-exec | after-exec | left (in a memfd and /dev/shm when it ends)
 */
#include "attack.h"
enum { BYTES = 60 << 20 };
static void peak(void) {
  char *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (at == MAP_FAILED) die("mmap");
  munmap(at, BYTES);
}
static void in_child(int depth) {
  pid_t pid = fork();
  if (pid == 0) {
    if (depth > 1) in_child(depth - 1);
    else peak();
    _exit(0);
  }
  waitpid(pid, NULL, 0);
}
int main(int argc, char **argv) {
  const char *where = argc > 1 ? argv[1] : "here";
  if (!strcmp(where, "here")) peak();
  if (!strcmp(where, "child")) in_child(1);
  if (!strcmp(where, "grandchild")) in_child(2);
  if (!strcmp(where, "before-exec")) {
    peak();
    execl("/proc/self/exe", "short-peak", "nowhere", NULL);
  }
  if (!strcmp(where, "after-exec")) execl("/proc/self/exe", "short-peak", "here", NULL);
  if (!strcmp(where, "left")) {
    static char block[1 << 20];
    memset(block, 1, sizeof block);
    int file = open("/dev/shm/left", O_CREAT | O_WRONLY, 0600), hidden = memfd_create("left", 0);
    for (int i = 0; i < 28; i++)
      if (write(file, block, sizeof block) < 0 || write(hidden, block, sizeof block) < 0) die("write");
  }
  return done();
}
