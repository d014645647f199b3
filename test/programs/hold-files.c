/*
 * hold-files THREADS: so many threads write 64 MiB at once into ./f, in turn, and hold its lock meanwhile;
 * another renames it all the time, and holds the folder's while it waits for the file's. Says "ready".
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include "common.h"

enum { SIZE = 64 << 20 };
static int file;
static char *zeros;

static void *write_on(void *unused) {
  while (pwrite(file, zeros, SIZE, 0) > 0) continue;
  return unused;
}

static void *move_on(void *unused) {
  for (;;) {
    rename("f", "g");
    rename("g", "f");
  }
  return unused;
}

int main(int argc, char **argv) {
  (void)argc;
  file = open("f", O_RDWR | O_CREAT, 0666);
  zeros = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (file < 0 || zeros == MAP_FAILED) return 1;
  pthread_t thread;
  for (long i = number(argv, 1, 12); i > 0; i--) pthread_create(&thread, NULL, write_on, NULL);
  pthread_create(&thread, NULL, move_on, NULL);
  usleep(300000);
  printf("ready\n");
  fflush(stdout);
  pause();
}
