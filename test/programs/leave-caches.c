/*
 * leave-caches KIND COUNT [FOLDER]: fills caches of the kernel that outlive a program and are charged to its group, prints how
 * much of what it did, and exits 0.
 *   pages   drops COUNT bytes of the files below FOLDER from the page cache and reads them again
 *   names   looks for COUNT files in FOLDER that are not there: the kernel remembers each name
 *   inodes  looks at all there is below FOLDER, COUNT entries at the most
 */
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <time.h>
#include "common.h"

static size_t wanted, done;

static int read_again(const char *path, const struct stat *status, int kind, struct FTW *walk) {
  (void)walk;
  static char block[1 << 17];
  if (kind != FTW_F || !S_ISREG(status->st_mode)) return 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  ssize_t got;
  while (done < wanted && (got = read(fd, block, sizeof block)) > 0) done += got;
  close(fd);
  return done >= wanted;
}

static int look(const char *path, const struct stat *status, int kind, struct FTW *walk) {
  (void)path, (void)status, (void)kind, (void)walk;
  return ++done >= wanted;
}

static void miss_names(const char *folder) {
  char path[256];
  struct stat status;
  struct timespec now; /* an earlier run has asked for other names */
  clock_gettime(CLOCK_REALTIME, &now);
  for (; done < wanted; done++) {
    snprintf(path, sizeof path, "%s/no-such-file-with-a-name-of-many-characters-%ld-%zu", folder, now.tv_sec * 1000000000L + now.tv_nsec, done);
    (void)stat(path, &status);
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return 99;
  const char *folder = argc > 3 ? argv[3] : "/usr/lib";
  wanted = (size_t)strtod(argv[2], NULL);
  if (!strcmp(argv[1], "pages")) nftw(folder, read_again, 16, FTW_PHYS);
  else if (!strcmp(argv[1], "inodes")) nftw(folder, look, 16, FTW_PHYS);
  else if (!strcmp(argv[1], "names")) miss_names(folder);
  else return 99;
  printf("%zu\n", done);
  return 0;
}
