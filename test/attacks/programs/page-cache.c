/* page-cache FILE: asks which pages of a file others have read. */
#include "attack.h"
int main(int argc, char **argv) {
  if (argc < 2) return 99;
  int fd = open(argv[1], O_RDONLY);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0) die(argv[1]);
  struct {
    unsigned long long offset, length;
  } range = {0, (unsigned long long)info.st_size};
  unsigned long long counts[5];
  must_fail_with("cachestat", syscall(451, fd, &range, counts, 0), ENOSYS);
  size_t pages = (info.st_size + 4095) / 4096, resident = 0;
  void *at = mmap(NULL, info.st_size, PROT_READ, MAP_SHARED, fd, 0);
  unsigned char *map = calloc(pages, 1);
  if (mincore(at, info.st_size, map) == 0)
    for (size_t i = 0; i < pages; i++) resident += map[i] & 1;
  else
    resident = pages;
  /* The kernel answers "all" to those who may not write the file; any other number is knowledge. */
  if (resident != pages) got("residency of pages");
  printf("%zu of %zu pages\n", resident, pages);
  return done();
}
