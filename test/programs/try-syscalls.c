/*
 * try-syscalls NAME[,ARG…]…: makes each system call with the arguments given (-1 where none is), prints "NAME
 * errno" or "NAME OK" per line. -1 is a bad descriptor, a bad address and a bad flag word at once: whatever
 * reaches the kernel fails without doing anything, and with another errno than the filter's, unless the
 * kernel asks for the capability first.
 */
#include <sys/syscall.h>
#include "common.h"
#include "syscall-names.h"

static long find(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof syscall_names / sizeof syscall_names[0]; i++)
    if (strlen(syscall_names[i].name) == length && !strncmp(syscall_names[i].name, name, length))
      return syscall_names[i].number;
  return strtol(name, NULL, 0) > 0 ? strtol(name, NULL, 0) : -1;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    size_t length = strcspn(argv[i], ",");
    long arguments[6] = {-1, -1, -1, -1, -1, -1};
    char *at = argv[i] + length;
    for (int a = 0; *at == ',' && a < 6; a++) arguments[a] = (long)strtoull(at + 1, &at, 0);
    errno = 0;
    long answer = syscall(find(argv[i], length), arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
    printf("%.*s %s\n", (int)length, argv[i], answer == -1 && errno ? errno_name(errno) : "OK");
    fflush(stdout);
  }
  return 0;
}
