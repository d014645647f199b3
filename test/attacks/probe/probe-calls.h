/* System calls by number, sockets, ioctls, signals, namespaces. */
#include "probe.h"
#include "probe-cpu.h"
#include <linux/sched.h>
#include <linux/nsfs.h>

enum { LAST_CALL = 475, LAST_DESCRIPTOR = 1023 };

/* Arguments that do nothing where -1 or 0 in all would do much. -2: not called, since it starts, ends or stops a process. */
static const struct { long number, a, b, c; } HARMLESS[] = {
#ifdef SYS_futimesat
  {SYS_futimesat, -1, 0, 0},
#endif
#ifdef SYS_fork
  {SYS_fork, -2, 0, 0}, {SYS_vfork, -2, 0, 0}, {SYS_pause, -2, 0, 0}, {SYS_select, -2, 0, 0},
#endif
  {SYS_pselect6, -2, 0, 0}, {SYS_ppoll, -2, 0, 0}, {SYS_rt_sigreturn, -2, 0, 0}, {SYS_exit, -2, 0, 0}, {SYS_exit_group, -2, 0, 0}, {SYS_msgget, 0, 0, 0}, {SYS_sync, -2, 0, 0}, {SYS_kill, 0, 0, 0},
  {SYS_shmat, INT_MAX, 0, 0}, {SYS_shmctl, INT_MAX, 0, 0}, {SYS_semop, INT_MAX, 0, 0}, {SYS_semctl, INT_MAX, 0, 0}, {SYS_msgsnd, INT_MAX, 0, 0}, {SYS_msgrcv, INT_MAX, 0, 0},
  {SYS_msgctl, INT_MAX, 0, 0}, {SYS_shmget, 0, 4096, 0}, {SYS_semget, 0, 1, 0}, {SYS_setpriority, 0, 0, 19}, {SYS_clone, -1, 0, 0},
  /* Of descriptor 0, which may be a device of the host where somebody tries this outside of a sandbox. */
  {SYS_fchmod, -1, 0, 0}, {SYS_fchown, -1, 0, 0}, {SYS_ftruncate, -1, 0, 0}, {SYS_fsetxattr, -1, 0, 0}, {SYS_fremovexattr, -1, 0, 0}, {SYS_utimensat, -1, 0, 0},
};

static const char *call(long number, long other) {
  for (unsigned i = 0; i < COUNT(HARMLESS); i++) {
    if (HARMLESS[i].number != number) continue;
    if (HARMLESS[i].a == -2) return "not called";
    return outcome(syscall(number, HARMLESS[i].a, HARMLESS[i].b, HARMLESS[i].c, 0, 0, 0));
  }
  return outcome(syscall(number, other, other, other, other, other, other));
}

/* Without protection keys there is none to be allocated, nor one to be freed. */
static const char *by_the_cpu(long number, const char *said) {
  if (number == SYS_pkey_alloc) return if_cpu_has(cpu_has_protection_keys(), said, "EINVAL ENOSPC");
  if (number == SYS_pkey_free) return if_cpu_has(cpu_has_protection_keys(), said, "EINVAL");
  return said;
}

static void probe_calls(void) {
  char subject[32];
  for (long number = 0; number <= LAST_CALL; number++) {
    snprintf(subject, sizeof subject, "%ld", number);
    char said[64];
    strcpy(said, apart(call, number, -1));
    row("call", subject, "%s, with zeros %s", said, by_the_cpu(number, apart(call, number, 0)));
  }
#ifdef __x86_64__
  const long x32[] = {0, 1, 39, 59, 101, 165, 512, 520, 547};
  for (unsigned i = 0; i < COUNT(x32); i++) {
    snprintf(subject, sizeof subject, "x32 %ld", x32[i]);
    row("call", subject, "%s", apart(call, x32[i] | 0x40000000, -1));
  }
#endif
}

static const int TYPES[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_RDM, SOCK_SEQPACKET, SOCK_DCCP, SOCK_PACKET};
static const int PROTOCOLS[] = {1, 2, 6, 17, 58, 132, 136, 255, 262};

static const char *open_socket(int family, int type, int protocol) {
  int fd = socket(family, type, protocol);
  const char *said = outcome(fd);
  if (fd >= 0) close(fd);
  return said;
}

/* A row for each family, with all its types; where any of them can be had, one for each protocol, too. */
static void probe_sockets(void) {
  char subject[64], said[512];
  for (int family = 0; family < 48; family++) {
    said[0] = 0;
    int had = 0;
    for (unsigned i = 0; i < COUNT(TYPES); i++) {
      const char *one = open_socket(family, TYPES[i], 0);
      had |= !strcmp(one, "OK");
      sprintf(said + strlen(said), "%s%d %s", i ? ", " : "", TYPES[i], one);
    }
    snprintf(subject, sizeof subject, "family %d", family);
    row("socket", subject, "%s", said);
    for (unsigned p = 0; had && p < COUNT(PROTOCOLS); p++) {
      said[0] = 0;
      for (unsigned i = 0; i < COUNT(TYPES); i++) sprintf(said + strlen(said), "%s%d %s", i ? ", " : "", TYPES[i], open_socket(family, TYPES[i], PROTOCOLS[p]));
      snprintf(subject, sizeof subject, "family %d protocol %d", family, PROTOCOLS[p]);
      row("socket", subject, "%s", said);
    }
    int pair[2];
    const int made = socketpair(family, SOCK_STREAM, 0, pair);
    snprintf(subject, sizeof subject, "pair of family %d", family);
    if (made == 0) row("socket", subject, "OK"), close(pair[0]), close(pair[1]);
  }
}

#define IOCTLS(X) \
  X(TCGETS, 0x5401) X(TIOCSTI, 0x5412) X(TIOCLINUX, 0x541c) X(TIOCCONS, 0x541d) X(TIOCSETD, 0x5423) X(TIOCGETD, 0x5424) X(TIOCNOTTY, 0x5422) X(TIOCSCTTY, 0x540e) \
  X(TIOCGPGRP, 0x540f) X(TIOCGWINSZ, 0x5413) X(TIOCSWINSZ, 0x5414) X(TIOCMGET, 0x5415) X(TIOCVHANGUP, 0x5437) X(TIOCGPTPEER, 0x5441) X(TIOCGPTN, 0x80045430) \
  X(TIOCEXCL, 0x540c) X(FIONREAD, 0x541b) X(FIOASYNC, 0x5452) X(FIOQSIZE, 0x5460) X(FIBMAP, 1) X(FIGETBSZ, 2) X(FIFREEZE, 0xc0045877) X(FITHAW, 0xc0045878) \
  X(FITRIM, 0xc0185879) X(FICLONE, 0x40049409) X(FS_IOC_GETFLAGS, 0x80086601) X(FS_IOC_SETFLAGS, 0x40086602) X(FS_IOC_FSGETXATTR, 0x801c581f) \
  X(FS_IOC_FSSETXATTR, 0x401c5820) X(FS_IOC_GETVERSION, 0x80087601) X(BLKGETSIZE, 0x1260) X(BLKROSET, 0x125d) X(SIOCGIFCONF, 0x8912) X(SIOCSIFFLAGS, 0x8914) \
  X(SIOCATMARK, 0x8905) X(NS_GET_USERNS, 0xb701) X(NS_GET_PARENT, 0xb702) X(KVM_GET_API_VERSION, 0xae00) X(LOOP_CTL_GET_FREE, 0x4c82) X(TUNSETIFF, 0x400454ca)

static const char *control(long fd, long request) {
  static char zeros[4096];
  return outcome(ioctl((int)fd, (unsigned long)request, zeros));
}

static void probe_ioctls(void) {
  char subject[64];
  for (int fd = 0; fd <= LAST_DESCRIPTOR; fd++) {
    if (fcntl(fd, F_GETFD) < 0) continue;
#define X(name, number)                                       \
  snprintf(subject, sizeof subject, "%d " #name, fd);         \
  row("ioctl", subject, "%s", apart(control, fd, number));    \
  snprintf(subject, sizeof subject, "%d " #name " above 32 bits", fd); \
  if ((number) == 0x5412 || (number) == 0x541c) row("ioctl", subject, "%s", apart(control, fd, (number) | 1L << 32));
    IOCTLS(X)
#undef X
  }
}

static const char *const NAMESPACES[] = {"cgroup", "ipc", "mnt", "net", "pid", "pid_for_children", "time", "time_for_children", "user", "uts"};
static const unsigned NEW[] = {CLONE_NEWCGROUP, CLONE_NEWIPC, CLONE_NEWNS, CLONE_NEWNET, CLONE_NEWPID, CLONE_NEWTIME, CLONE_NEWUSER, CLONE_NEWUTS, CLONE_FS, CLONE_FILES, CLONE_SYSVSEM};

static const char *leave(long flags, long unused) { return (void)unused, outcome(unshare((int)flags)); }
static const char *enter(long fd, long unused) { return (void)unused, outcome(setns((int)fd, 0)); }
static const char *clone_with(long flags, long unused) {
  (void)unused;
  const long child = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
  if (child == 0) _exit(0);
  const char *said = outcome(child);
  /* An orphan would be there until init has reaped it, for whoever looks for other processes in that moment. */
  while (child > 0 && waitpid((pid_t)child, NULL, __WALL) < 0 && errno == EINTR) {
  }
  return said;
}

static void probe_namespaces(void) {
  char subject[64], path[64];
  for (unsigned i = 0; i < COUNT(NAMESPACES); i++) {
    snprintf(path, sizeof path, "/proc/self/ns/%s", NAMESPACES[i]);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) row("namespace", NAMESPACES[i], "open %s", errno_name(errno));
    else {
      char said[64];
      strcpy(said, apart(enter, fd, 0));
      const int parent = ioctl(fd, NS_GET_PARENT);
      const char *to_parent = outcome(parent);
      const int owner = ioctl(fd, NS_GET_USERNS);
      row("namespace", NAMESPACES[i], "open OK, setns %s, parent %s, owner %s", said, to_parent, outcome(owner));
      close(parent);
      close(owner);
      close(fd);
    }
  }
  for (unsigned i = 0; i < COUNT(NEW); i++) {
    snprintf(subject, sizeof subject, "new %x", NEW[i]);
    char said[64];
    strcpy(said, apart(leave, NEW[i], 0));
    row("namespace", subject, "unshare %s, clone %s", said, NEW[i] & 0xff ? "-" : apart(clone_with, NEW[i], 0));
  }
  char line[512];
  FILE *groups = fopen("/proc/self/cgroup", "r");
  if (!groups) row("cgroup", "own", "%s", errno_name(errno));
  char deepest[512] = "/";
  while (groups && fgets(line, sizeof line, groups)) {
    const char *path = strrchr(line, ':') + 1;
    line[strcspn(line, "\n")] = 0;
    if (strlen(path) > strlen(deepest)) strcpy(deepest, without_numbers(path));
  }
  if (groups) fclose(groups);
  if (groups) row("cgroup", "own", "%s", deepest);
}

static const char *send_signal(long pid, long signal) { return outcome(kill((pid_t)pid, (int)signal)); }
static const char *trace(long pid, long request) { return outcome(syscall(SYS_ptrace, request, pid, 0, 0)); }

static void probe_signals(void) {
  const struct { const char *name; pid_t pid; } targets[] = {{"init", 1}, {"everybody", -1}, {"a group that is not there", -0x7ffffff0}, {"its parent", getppid()}};
  char subject[64];
  for (unsigned i = 0; i < COUNT(targets); i++) row("signal", targets[i].name, "%s", apart(send_signal, targets[i].pid, 0));
  for (int number = 1; number <= 64; number += number == 19 ? 45 : 1) {
    snprintf(subject, sizeof subject, "init, %d", number);
    row("signal", subject, "%s", apart(send_signal, 1, number));
  }
  int seen = 0;
  for (pid_t pid = 2; pid < 32768; pid++) seen += pid != getpid() && (kill(pid, 0) == 0 || errno == EPERM);
  row("signal", "other numbers to 32768", "%s", seen ? "somebody" : "nobody");
  char byte;
  struct { void *at; size_t size; } here = {&byte, 1};
  struct rlimit limit = {0, 0};
  row("init", "ptrace", "%s, seize %s", apart(trace, 1, 16), apart(trace, 1, 0x4206));
  row("init", "process_vm_readv", "%s", outcome(syscall(SYS_process_vm_readv, 1, &here, 1, &here, 1, 0)));
  row("init", "prlimit", "read %s, set %s", outcome(syscall(SYS_prlimit64, 1, RLIMIT_CORE, 0, &limit)), outcome(syscall(SYS_prlimit64, 1, RLIMIT_CORE, &limit, 0)));
  const long pidfd = syscall(SYS_pidfd_open, 1, 0);
  row("init", "pidfd", "%s, signal %s, descriptor %s", outcome(pidfd), outcome(syscall(SYS_pidfd_send_signal, pidfd, 0, 0, 0)), outcome(syscall(SYS_pidfd_getfd, pidfd, 0, 0)));
  unsigned long cpus = 1;
  row("init", "scheduling", "affinity %s, policy %s, priority %s", outcome(syscall(SYS_sched_setaffinity, 1, sizeof cpus, &cpus)),
      outcome(syscall(SYS_sched_setscheduler, 1, 3, &(int){0})), outcome(setpriority(PRIO_PROCESS, 1, 19)));
}

static void probe_posture(void) {
  char line[512];
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status)) {
    line[strcspn(line, "\n")] = 0;
    for (char *tab = line; (tab = strchr(tab, '\t'));) *tab = ' ';
    char *value = strchr(line, ':');
    if (!value) continue;
    *value++ = 0;
    value += strspn(value, " ");
    static const char *const WANTED[] = {"Cap", "NoNew", "Seccomp", "Uid", "Gid", "Groups"};
    for (unsigned i = 0; i < COUNT(WANTED); i++)
      if (!strncmp(line, WANTED[i], strlen(WANTED[i]))) row("posture", line, "%s", value);
  }
  if (status) fclose(status);
  row("posture", "prctl", "securebits %x, dumpable %d, new privileges %d", prctl(PR_GET_SECUREBITS), prctl(PR_GET_DUMPABLE), !prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
  sigset_t blocked;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  int blocks = 0, ignores = 0;
  for (int number = 1; number < 65; number++) {
    struct sigaction action;
    blocks += sigismember(&blocked, number) == 1;
    ignores += sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
  }
  row("posture", "session", "%s, signals blocked %d, ignored %d", getsid(0) == getpid() ? "its own" : "ANOTHER'S", blocks, ignores);
  for (int which = 0; which < 16; which++) {
    struct rlimit limit;
    char subject[32];
    snprintf(subject, sizeof subject, "limit %d", which);
    if (which == RLIMIT_SIGPENDING || which == RLIMIT_NPROC || getrlimit(which, &limit)) continue;
    row("posture", subject, "%ld %ld", (long)limit.rlim_cur, (long)limit.rlim_max);
  }
}
