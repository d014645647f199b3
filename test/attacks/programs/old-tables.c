/* old-tables: system calls through the 32-bit table, each in a child that may die of it. */
#include "attack.h"
#ifdef __x86_64__
static void int80(long number, const char *name) {
  pid_t pid = fork();
  if (pid == 0) {
    long answer;
    __asm__ volatile("int $0x80" : "=a"(answer) : "a"(number), "b"(0), "c"(0), "d"(0) : "memory", "r8", "r9", "r10", "r11");
    _exit(answer == -ENOSYS ? 1 : 0);
  }
  int status;
  waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    got(name);
  else
    printf("%s: %s\n", name, WIFSIGNALED(status) ? "killed" : "ENOSYS");
}
int main(void) {
  int80(20, "getpid by int 0x80");
  int80(102, "socketcall by int 0x80");
  int80(21, "mount by int 0x80");
  must_fail_with("x32 getpid", syscall(0x40000000 | 39), ENOSYS);
  must_fail_with("x32 ptrace", syscall(0x40000000 | 521), ENOSYS);
  return done();
}
#else
int main(void) { return done(); }
#endif
