/*
 * own-namespaces HOW: namespaces of one's own, for the capabilities they bring.
 *   unshare  unshare(2) of each kind
 *   clone    clone(2) and clone3(2) of each kind
 *   setns    setns(2) on the namespaces that it sees, and on a pidfd of init
 */
#include <linux/sched.h>
#include <sys/mount.h>
#include "attack.h"
#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

static const struct {
  const char *name;
  unsigned long flag;
} kinds[] = {{"user", CLONE_NEWUSER}, {"mnt", CLONE_NEWNS},   {"pid", CLONE_NEWPID},       {"net", CLONE_NEWNET},
             {"ipc", CLONE_NEWIPC},   {"uts", CLONE_NEWUTS},  {"cgroup", CLONE_NEWCGROUP}, {"time", CLONE_NEWTIME},
             {"user+mnt", CLONE_NEWUSER | CLONE_NEWNS}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void by_unshare(void) {
  for (int i = 0; i < KINDS; i++) tried(kinds[i].name, unshare(kinds[i].flag));
  int map = open("/proc/self/uid_map", O_WRONLY);
  if (map >= 0) tried("map root", write(map, "0 1000 1\n", 9));
  tried("mount in it", mount("x", "/tmp", "tmpfs", 0, NULL));
}

static void by_clone(void) {
  for (int i = 0; i < KINDS; i++) {
    if (kinds[i].flag == CLONE_NEWTIME) continue; /* an exit signal for clone */
    long pid = syscall(SYS_clone, kinds[i].flag | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) _exit(0);
    must_fail_with(kinds[i].name, pid, EPERM);
    struct clone_args args = {.flags = kinds[i].flag, .exit_signal = SIGCHLD};
    pid = syscall(SYS_clone3, &args, sizeof args);
    if (pid == 0) _exit(0);
    must_fail_with("clone3", pid, ENOSYS);
  }
}

static void by_setns(void) {
  for (int i = 0; i < KINDS - 1; i++) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/ns/%s", kinds[i].name);
    int fd = open(path, O_RDONLY);
    tried(path, setns(fd, 0));
    snprintf(path, sizeof path, "/proc/1/ns/%s", kinds[i].name);
    tried(path, open(path, O_RDONLY));
  }
  int init = (int)syscall(SYS_pidfd_open, 1, 0);
  tried("namespaces of init", setns(init, CLONE_NEWNS));
  tried("user namespace of init", setns(init, CLONE_NEWUSER));
}

int main(int argc, char **argv) {
  if (argc < 2) return 99;
  if (!strcmp(argv[1], "unshare")) by_unshare();
  if (!strcmp(argv[1], "clone")) by_clone();
  if (!strcmp(argv[1], "setns")) by_setns();
  return done();
}
