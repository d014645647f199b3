/* gain-rights: prints who it is after execve: no other user, no capability. */
#include "attack.h"
int main(void) {
  uid_t r, e, s;
  gid_t a, b, c;
  getresuid(&r, &e, &s);
  getresgid(&a, &b, &c);
  if (r != e || e != s) got("another user");
  if (a != b || b != c) got("another group");
  FILE *status = fopen("/proc/self/status", "r");
  char line[256];
  while (status && fgets(line, sizeof line, status))
    if (!strncmp(line, "Cap", 3) && strtoull(line + 8, NULL, 16) != 0) got(line);
  tried("setuid(0)", setuid(0) == 0 && getuid() != r ? 0 : -1);
  tried("open of a file of root", open("/data/root-only", O_RDONLY));
  return done();
}
