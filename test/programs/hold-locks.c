/*
 * hold-locks FILES LOCKS [children|ended|shared|anonymous|watched]: takes so many record locks on each of so many
 * files, one of a byte each, says how many it has, and waits. `children`: by four children at once. `ended`: by a
 * thread, the main one having ended. `shared`: on /bin/sh. `anonymous`: on what files without an inode have in
 * common. `watched`: by a child that has, as 20 more, 200 descriptors by which much is watched.
 */
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include "common.h"

enum { DESCRIPTORS = 200, SLEEPERS = 20, WATCHES = 30000 };

static int files, locks, notices, watches;
static const char *how = "";

static int open_file(int number) {
  char name[32];
  if (strcmp(how, "shared") == 0) return open("/bin/sh", O_RDONLY);
  if (strcmp(how, "anonymous") == 0) return epoll_create1(0);
  snprintf(name, sizeof name, "%d-%d", (int)getpid(), number);
  return open(name, O_RDWR | O_CREAT, 0666);
}

static void *hold(void *unused) {
  (void)unused;
  long held = 0;
  for (int file = 0; file < files; file++) {
    int fd = open_file(file);
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

static int watch(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status, (void)kind, (void)place;
  if (inotify_add_watch(notices, path, IN_MOVE_SELF) >= 0) watches++;
  return watches >= WATCHES;
}

static void watch_much(void) {
  notices = inotify_init();
  if (nftw("/usr", watch, 16, FTW_PHYS) < 0) die("nftw");
  for (int i = 0; i < DESCRIPTORS; i++)
    if (dup(notices) < 0) die("dup");
  for (int i = 0; i < SLEEPERS; i++)
    if (fork() == 0) {
      pause();
      _exit(0);
    }
}

int main(int argc, char **argv) {
  if (argc < 3) return 64;
  files = atoi(argv[1]), locks = atoi(argv[2]);
  how = argc > 3 ? argv[3] : "";
  if (strcmp(how, "watched") == 0) {
    watch_much();
    if (fork() == 0) hold(NULL);
    pause();
  }
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
