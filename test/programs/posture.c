/*
 * posture: prints what it is allowed to be, one "key value" per line, from system calls where there is one
 * and from /proc/self/status for the rest.
 */
#include <grp.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include "common.h"

static void show_ids(void) {
  uid_t r, e, s;
  getresuid(&r, &e, &s);
  printf("uids %u %u %u\n", r, e, s);
  gid_t a, b, c;
  getresgid(&a, &b, &c);
  printf("gids %u %u %u\n", a, b, c);
  gid_t groups[64];
  int count = getgroups(64, groups);
  printf("groups %d\n", count);
  printf("pid %d\nppid %d\nsid %d\n", getpid(), getppid(), getsid(0));
}

static void show_limits(void) {
  static const struct {
    const char *name;
    int resource;
  } rows[] = {{"core", RLIMIT_CORE},   {"nofile", RLIMIT_NOFILE},     {"stack", RLIMIT_STACK}, {"as", RLIMIT_AS},
              {"fsize", RLIMIT_FSIZE}, {"memlock", RLIMIT_MEMLOCK},   {"rtprio", RLIMIT_RTPRIO},
              {"nice", RLIMIT_NICE},   {"msgqueue", RLIMIT_MSGQUEUE}, {"cpu", RLIMIT_CPU}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct rlimit limit;
    getrlimit(rows[i].resource, &limit);
    printf("rlimit-%s %lld %lld\n", rows[i].name, (long long)limit.rlim_cur, (long long)limit.rlim_max);
  }
}

static void show_status(void) {
  FILE *status = fopen("/proc/self/status", "r");
  if (!status) die("/proc/self/status");
  char line[512];
  static const char *const wanted[] = {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp", "Groups"};
  while (fgets(line, sizeof line, status))
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
      size_t length = strlen(wanted[i]);
      if (!strncmp(line, wanted[i], length) && line[length] == ':') {
        char *value = line + length + 1;
        value[strcspn(value, "\n")] = 0;
        printf("%s %s\n", wanted[i], value + strspn(value, "\t "));
      }
    }
}

int main(void) {
  struct utsname names;
  uname(&names);
  printf("hostname %s\ndomainname %s\n", names.nodename, names.domainname);
  sigset_t blocked;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  int count = 0, ignored = 0;
  for (int number = 1; number < 65; number++) {
    struct sigaction action;
    count += sigismember(&blocked, number) == 1;
    ignored += sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
  }
  printf("blocked-signals %d\nignored-signals %d\n", count, ignored);
  printf("oom-adj-writable %d\n", access("/proc/self/oom_score_adj", W_OK) == 0);
  show_ids();
  show_limits();
  show_status();
  return 0;
}
