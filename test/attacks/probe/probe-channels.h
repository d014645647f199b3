/*
 * Channels between two programs that run at once. The sender leaves its sign wherever it can and keeps it for a while; the receiver looks
 * for each. Names and keys are the same for both, as those of two that agreed before would be.
 */
#include "probe.h"
#include <arpa/inet.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/un.h>

#define SIGN "sbx-probe-channel"
enum { KEY = 0x5b6b, PORT = 47611, HOLD_MS = 4000 };
/* A file of the host that both see. */
#define SHARED "/usr/bin/env"

static const char *const SIGN_FILES[] = {"/tmp/" SIGN, "/var/tmp/" SIGN, "/dev/shm/" SIGN, "/run/" SIGN, "/w/" SIGN, "/usr/" SIGN, "/etc/" SIGN};

static int abstract_socket(int listens) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0" SIGN};
  const int size = sizeof(sa_family_t) + 1 + strlen(SIGN);
  return listens ? bind(fd, (void *)&name, size) || listen(fd, 1) : connect(fd, (void *)&name, size);
}

static int loopback_socket(int type, int listens) {
  int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
  struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (listens) return bind(fd, (void *)&name, sizeof name) || (type == SOCK_STREAM && listen(fd, 1));
  if (connect(fd, (void *)&name, sizeof name)) return -1;
  char byte = 1;
  (void)!write(fd, &byte, 1);
  usleep(20000);
  return write(fd, &byte, 1) == 1 ? 0 : -1; /* a datagram to nobody is told of by then */
}

static uint32_t *shared_page(void) {
  int fd = open(SHARED, O_RDONLY | O_CLOEXEC);
  return mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
}

/* In a process of its own: whoever closes any descriptor of the file loses its locks. */
static void hold_record_lock(void) {
  int held[2];
  if (pipe(held) != 0) return;
  if (fork() == 0) {
    struct flock range = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 7, .l_len = 1};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)!fcntl(open(SHARED, O_RDONLY | O_CLOEXEC), F_SETLK, &range);
    close(held[0]);
    close(held[1]);
    for (;;) pause();
  }
  char byte;
  close(held[1]);
  (void)!read(held[0], &byte, 1);
  close(held[0]);
}

static int send_on_channels(void) {
  for (unsigned i = 0; i < COUNT(SIGN_FILES); i++) close(open(SIGN_FILES[i], O_CREAT | O_WRONLY | O_CLOEXEC, 0666));
  (void)!abstract_socket(1);
  (void)!loopback_socket(SOCK_STREAM, 1);
  (void)!loopback_socket(SOCK_DGRAM, 1);
  (void)!shmget(KEY, 4096, IPC_CREAT | 0666);
  (void)!semget(KEY, 1, IPC_CREAT | 0666);
  (void)!msgget(KEY, IPC_CREAT | 0666);
  (void)!mq_open("/" SIGN, O_CREAT | O_RDWR, 0666, NULL);
  (void)!syscall(SYS_add_key, "user", SIGN, "x", 1, -4 /* of the user */);
  int whole = open(SHARED, O_RDONLY | O_CLOEXEC);
  (void)!flock(whole, LOCK_EX);
  hold_record_lock();
  (void)!fcntl(whole, F_SETLEASE, F_RDLCK);
  prctl(PR_SET_NAME, SIGN);
  printf("ready\n");
  fflush(stdout);
  uint32_t *page = shared_page();
  const double end = wall_ms() + HOLD_MS;
  int looked = open(SHARED, O_RDONLY | O_CLOEXEC);
  while (wall_ms() < end) {
    close(open(SHARED, O_RDONLY | O_CLOEXEC)); /* for who watches it */
    if (page != MAP_FAILED) syscall(SYS_futex, page, FUTEX_WAKE, 100, NULL, NULL, 0);
    pause_ms(5);
  }
  close(looked);
  return 0;
}

static void receive_locks(void) {
  int fd = open(SHARED, O_RDONLY | O_CLOEXEC);
  const int whole = flock(fd, LOCK_SH | LOCK_NB);
  row("channel", "flock", "%s", whole == 0 ? "closed" : errno == EWOULDBLOCK ? "OPEN" : errno_name(errno));
  struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 7, .l_len = 1};
  const int got = fcntl(fd, F_GETLK, &range);
  row("channel", "record locks", "%s", got ? errno_name(errno) : range.l_type == F_UNLCK ? "closed" : "OPEN");
  row("channel", "leases", "%s", outcome(fcntl(fd, F_SETLEASE, F_RDLCK)));
  close(fd);
}

static void receive_watch(void) {
  int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  char events[4096];
  if (fd < 0 || inotify_add_watch(fd, SHARED, IN_OPEN) < 0) {
    row("channel", "inotify", "%s", errno_name(errno));
    return;
  }
  pause_ms(300);
  row("channel", "inotify", "%s", read(fd, events, sizeof events) > 0 ? "OPEN" : "closed");
}

static void receive_futex(void) {
  uint32_t *page = shared_page();
  struct timespec wait = {0, 300000000};
  if (page == MAP_FAILED) row("channel", "futex", "no mapping: %s", errno_name(errno));
  else row("channel", "futex", "%s", syscall(SYS_futex, page, FUTEX_WAIT, *page, &wait, NULL, 0) == 0 ? "OPEN" : errno == ETIMEDOUT ? "closed" : errno_name(errno));
}

static void receive_processes(void) {
  char *names[512], path[PATH_MAX], name[64];
  int count = names_of("/proc", names, 512), seen = 0;
  for (int i = 0; i < count; i++) {
    snprintf(path, sizeof path, "/proc/%s/comm", names[i]);
    FILE *file = fopen(path, "r");
    if (file && fgets(name, sizeof name, file)) seen |= !strncmp(name, SIGN, 15);
    if (file) fclose(file);
  }
  row("channel", "processes", "%s", seen ? "OPEN" : "closed");
}

static const char *found(int answer) { return answer >= 0 ? "OPEN" : "closed"; }

static int receive_on_channels(void) {
  for (unsigned i = 0; i < COUNT(SIGN_FILES); i++) row("channel", SIGN_FILES[i], "%s", found(access(SIGN_FILES[i], F_OK)));
  row("channel", "abstract socket", "%s", found(abstract_socket(0)));
  row("channel", "TCP on loopback", "%s", found(loopback_socket(SOCK_STREAM, 0)));
  row("channel", "UDP on loopback", "%s", found(loopback_socket(SOCK_DGRAM, 0)));
  row("channel", "shared memory by key", "%s", found(shmget(KEY, 0, 0)));
  row("channel", "semaphores by key", "%s", found(semget(KEY, 0, 0)));
  row("channel", "messages by key", "%s", found(msgget(KEY, 0)));
  row("channel", "POSIX messages", "%s", found(mq_open("/" SIGN, O_RDONLY)));
  row("channel", "keys", "%s", found(syscall(SYS_request_key, "user", SIGN, NULL, 0)));
  receive_locks();
  receive_watch();
  receive_futex();
  receive_processes();
  printf("done\n");
  return 0;
}
