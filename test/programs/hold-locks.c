/*
 * hold-locks FILES LOCKS [children|ended]: takes so many record locks on each of so many files, one of a byte each,
 * says how many it has, and waits. `children`: by four children at once. `ended`: by a thread, the main one having ended.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include "common.h"

static int files, locks;

static void *hold(void *unused) {
  (void)unused;
  long held = 0;
  for (int file = 0; file < files; file++) {
    char name[32];
    snprintf(name, sizeof name, "%d-%d", (int)getpid(), file);
    int fd = open(name, O_RDWR | O_CREAT, 0666);
    if (fd < 0) die("open");
    /* From behind: the kernel finds the place at once. */
    for (int at = locks; at > 0; at--, held++) {
      struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 2 * at, .l_len = 1};
      if (fcntl(fd, F_SETLK, &lock) != 0) die("F_SETLK");
    }
  }
  printf("%ld\n", held);
  fflush(stdout);
  pause();
  return NULL;
}

int main(int argc, char **argv) {
  if (argc < 3) return 64;
  files = atoi(argv[1]), locks = atoi(argv[2]);
  const char *how = argc > 3 ? argv[3] : "";
  if (strcmp(how, "children") == 0) {
    for (int i = 0; i < 4; i++)
      if (fork() == 0) hold(NULL);
    while (wait(NULL) > 0) {
    }
    return 1;
  }
  if (strcmp(how, "ended") != 0) return hold(NULL) == NULL;
  pthread_t thread;
  if (pthread_create(&thread, NULL, hold, NULL) != 0) die("pthread_create");
  pthread_exit(NULL);
}
