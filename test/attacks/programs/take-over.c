/* take-over: of init, of its parent, of another process group of its own, by ptrace and by memory. */
#include <sys/ptrace.h>
#include <sys/uio.h>
#include "attack.h"
/* A go-judge server lets programs trace each other within their own sandbox, as leak checkers do (docs/security.md, allowSyscalls). */
static int may_attach_to_siblings;
static void try_all(pid_t pid, const char *who) {
  char what[64], byte = 0;
  struct iovec here = {&byte, 1}, there = {(void *)0x400000, 1};
  snprintf(what, sizeof what, "attach to %s", who);
  if (!may_attach_to_siblings) tried(what, ptrace(PTRACE_ATTACH, pid, 0, 0));
  snprintf(what, sizeof what, "seize %s", who);
  tried(what, ptrace(PTRACE_SEIZE, pid, 0, 0));
  snprintf(what, sizeof what, "write memory of %s", who);
  tried(what, process_vm_writev(pid, &here, 1, &there, 1, 0));
  snprintf(what, sizeof what, "read memory of %s", who);
  tried(what, process_vm_readv(pid, &here, 1, &there, 1, 0));
}
int main(void) {
  try_all(1, "init");
  try_all(getppid(), "the parent");
  pid_t sibling = fork();
  if (sibling == 0) {
    setsid();
    pause();
    _exit(0);
  }
  may_attach_to_siblings = getenv("MAY_ATTACH_TO_SIBLINGS") != NULL;
  try_all(sibling, "a sibling");
  tried("/proc/1/mem", open("/proc/1/mem", O_RDWR));
  tried("PTRACE_TRACEME", ptrace(PTRACE_TRACEME, 0, 0, 0));
  kill(sibling, SIGKILL);
  return done();
}
