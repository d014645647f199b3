/*
 * docker-filter COMMAND ARG…: executes the command under a filter that refuses what Docker's default profile refuses to containers without
 * CAP_SYS_ADMIN, with its error numbers.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REFUSE(number, error) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error)
int main(int argc, char **argv) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      REFUSE(SYS_clone3, ENOSYS), REFUSE(SYS_unshare, EPERM), REFUSE(SYS_setns, EPERM), REFUSE(SYS_mount, EPERM),
      REFUSE(SYS_fsopen, EPERM), REFUSE(SYS_fsmount, EPERM), REFUSE(SYS_open_tree, EPERM), REFUSE(SYS_move_mount, EPERM), REFUSE(SYS_mount_setattr, EPERM), REFUSE(SYS_pivot_root, EPERM),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x7e020000, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return perror("filter"), 99;
  execvp(argv[1], argv + 1);
  return perror(argv[1]), 98;
}
