/*
 * call-all ERRNO NAME[,ARG…]…: each call must be refused with ERRNO (`any`: with whatever). Arguments are -1 where
 * none is given: nothing happens even when it is let through.
 */
#include "attack.h"
#include "syscall-names.h"
static long number_of(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof syscall_names / sizeof syscall_names[0]; i++)
    if (strlen(syscall_names[i].name) == length && !strncmp(syscall_names[i].name, name, length)) return syscall_names[i].number;
  return -1;
}
int main(int argc, char **argv) {
  for (int i = 2; i < argc; i++) {
    size_t length = strcspn(argv[i], ",");
    long values[6] = {-1, -1, -1, -1, -1, -1};
    char *at = argv[i] + length;
    for (int a = 0; *at == ',' && a < 6; a++) values[a] = (long)strtoull(at + 1, &at, 0);
    long call = number_of(argv[i], length);
    if (call < 0) {
      printf("%s: unknown here\n", argv[i]);
      continue;
    }
    errno = 0;
    long answer = syscall(call, values[0], values[1], values[2], values[3], values[4], values[5]);
    if (strcmp(argv[1], "any") && answer == -1 && strcmp(errno_name(errno), argv[1])) {
      printf("GOT past the filter: %s %s\n", argv[i], errno_name(errno));
      continue;
    }
    tried(argv[i], answer);
  }
  return done();
}
