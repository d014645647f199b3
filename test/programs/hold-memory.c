/*
 * hold-memory KIND BYTES [MS]: holds BYTES of memory in one of the ways below, sleeps MS, prints the count
 * and exits 0. What cannot be had is reported as an errno name and exit code 1, so that a limit that refuses
 * is told from one that kills.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "common.h"

#define BLOCK (1 << 20)
static char block[BLOCK];

static void refuse(void) {
  printf("%s\n", errno_name(errno));
  fflush(stdout);
  _exit(1);
}

static void touch(volatile char *at, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 4096) at[i] = 1;
}

static void *map(size_t bytes, int flags, int fd) {
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
  if (at == MAP_FAILED) refuse();
  touch(at, bytes);
  return at;
}

static void hold_private(size_t bytes) { map(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1); }
static void hold_shared(size_t bytes) { map(bytes, MAP_SHARED | MAP_ANONYMOUS, -1); }

static void hold_and_free(size_t bytes) {
  void *at = map(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  munmap(at, bytes);
}

static void hold_malloc(size_t bytes) {
  char *at = malloc(bytes);
  if (!at) refuse();
  touch(at, bytes);
}

static void hold_memfd(size_t bytes) {
  int fd = memfd_create("held", 0);
  if (fd < 0 || ftruncate(fd, bytes) != 0) refuse();
  map(bytes, MAP_SHARED, fd);
}

static void hold_sysv(size_t bytes) {
  int id = shmget(IPC_PRIVATE, bytes, 0600);
  if (id < 0) refuse();
  void *at = shmat(id, NULL, 0);
  if (at == (void *)-1) refuse();
  shmctl(id, IPC_RMID, NULL);
  touch(at, bytes);
}

static void hold_file(const char *path, size_t bytes) {
  int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
  if (fd < 0) refuse();
  for (size_t done = 0; done < bytes; done += BLOCK)
    if (write(fd, block, bytes - done < BLOCK ? bytes - done : BLOCK) < 0) refuse();
}

static void hold_work(size_t bytes) { hold_file("held", bytes); }
static void hold_tmp(size_t bytes) { hold_file("/tmp/held", bytes); }
static void hold_devshm(size_t bytes) { hold_file("/dev/shm/held", bytes); }

/* Filled through buffers as large as an unprivileged program may ask for. */
static void fill_pairs(size_t bytes, int (*make)(int[2])) {
  for (size_t done = 0; done < bytes;) {
    int ends[2];
    if (make(ends) != 0) refuse();
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    ssize_t wrote;
    while (done < bytes && (wrote = write(ends[1], block, 65536)) > 0) done += wrote;
  }
}

static int make_pipe(int ends[2]) {
  if (pipe(ends) != 0) return -1;
  (void)fcntl(ends[1], F_SETPIPE_SZ, BLOCK); /* refused past the user's budget: then it stays at 64 KiB */
  return 0;
}

static int make_socket(int ends[2]) { return socketpair(AF_UNIX, SOCK_STREAM, 0, ends); }

static void hold_pipes(size_t bytes) { fill_pairs(bytes, make_pipe); }
static void hold_sockets(size_t bytes) { fill_pairs(bytes, make_socket); }

static pid_t hold_in_child(size_t bytes, int keep) {
  pid_t pid = fork();
  if (pid < 0) refuse();
  if (pid > 0) return pid;
  if (bytes > 0) hold_private(bytes);
  if (keep) pause();
  _exit(0);
}

/* One child holds it and is reaped before the end: no figure of the main process shows it. */
static void hold_reaped(size_t bytes) { waitpid(hold_in_child(bytes, 0), NULL, 0); }

/* Eight children hold an eighth each, all at once. */
static void hold_eight(size_t bytes) {
  for (int i = 0; i < 8; i++) hold_in_child(bytes / 8, 1);
  pause_ms(300);
}

/* A child asks for all of it; the main process waits and ends well, whatever happened to the child. */
static void hold_and_shrug(size_t bytes) {
  hold_reaped(bytes);
  printf("fine\n");
  exit(0);
}

/* As hold_private, in a process that others may not look at. */
static void hold_undumpable(size_t bytes) {
  if (prctl(PR_SET_DUMPABLE, 0) != 0) refuse();
  hold_private(bytes);
}

static size_t thread_bytes;

static void *hold_and_stay(void *unused) {
  hold_private(thread_bytes);
  while (pause() != 0) continue;
  return unused;
}

/* In a thread, after the main one has ended: /proc shows no memory of the process any more. */
static void hold_in_thread(size_t bytes) {
  pthread_t thread;
  thread_bytes = bytes;
  if (pthread_create(&thread, NULL, hold_and_stay, NULL) != 0) refuse();
  pthread_exit(NULL);
}

/* Eight children share all of it with their parent. */
static void hold_with_forks(size_t bytes) {
  hold_private(bytes);
  for (int i = 0; i < 8; i++) hold_in_child(4096, 1);
}

/* A child that has not executed yet borrows all of it. */
static void hold_in_vfork(size_t bytes) {
  hold_private(bytes);
  pid_t pid = vfork();
  if (pid < 0) refuse();
  if (pid > 0) return;
  pause_ms(1000);
  _exit(0);
}

static void hold_before_exec(size_t bytes) {
  hold_private(bytes);
  execl("/proc/self/exe", "hold-memory", "private", "4096", NULL);
  refuse();
}

/* Page tables alone: one entry in each, of the page of zeros, which counts for nobody. */
static void hold_tables(size_t bytes) {
  const size_t table = 2 << 20;
  for (size_t left = bytes / 4096; left > 0;) {
    size_t part = left < 65536 ? left : 65536;
    char *at = mmap(NULL, part * table, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) refuse();
    madvise(at, part * table, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < part; i++) (void)*(volatile char *)(at + i * table);
    left -= part;
  }
}

/* Of System V, and mapped by nobody, but each for as long as it is filled. */
static void hold_segments(size_t bytes) {
  const size_t each = 16 << 20;
  for (size_t done = 0; done < bytes; done += each) {
    int id = shmget(IPC_PRIVATE, each, 0600);
    if (id < 0) refuse();
    void *at = shmat(id, NULL, 0);
    if (at == (void *)-1) refuse();
    touch(at, each);
    shmdt(at);
  }
}

/* Swapped out as it is filled, of its own accord. */
static void hold_swapped(size_t bytes) {
  const size_t each = 8 << 20;
  for (size_t done = 0; done < bytes; done += each)
    if (madvise(map(each, MAP_PRIVATE | MAP_ANONYMOUS, -1), each, MADV_PAGEOUT) != 0) refuse();
}

static char *handed;
static size_t handed_bytes, filled_bytes;
static char stacks[4][16 << 10] __attribute__((aligned(16)));

/* Fills a little, hands it all to a child and ends, and so on: no process is there for longer than that. */
static int hand_on(void *turn) {
  long next = (long)turn + 1;
  for (int i = 0; i < 8 && filled_bytes < handed_bytes; i++, filled_bytes += 4096) handed[filled_bytes] = 1;
  while (clone(hand_on, stacks[next & 3] + sizeof stacks[0], CLONE_VM | SIGCHLD, (void *)next) < 0) sched_yield();
  syscall(SYS_exit, 0);
  return 0;
}

/* Behind 200 others, who take time to be looked at. */
static void hold_in_turn(size_t bytes) {
  handed_bytes = bytes;
  for (int i = 0; i < 200; i++) hold_in_child(0, 1);
  pid_t pid = fork();
  if (pid < 0) refuse();
  if (pid > 0) return;
  handed = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (handed == MAP_FAILED) refuse();
  madvise(handed, bytes, MADV_NOHUGEPAGE);
  hand_on(0);
}

static void hold_row(size_t bytes) { hold_file("/cache/held", bytes); }

static const struct {
  const char *name;
  void (*hold)(size_t bytes);
} kinds[] = {
    {"private", hold_private}, {"shared", hold_shared},   {"malloc", hold_malloc},   {"freed", hold_and_free},
    {"memfd", hold_memfd},     {"sysv", hold_sysv},       {"work", hold_work},       {"tmp", hold_tmp},
    {"devshm", hold_devshm},   {"pipes", hold_pipes},     {"sockets", hold_sockets}, {"reaped", hold_reaped},
    {"eight", hold_eight},     {"shrug", hold_and_shrug}, {"exec", hold_before_exec}, {"undumpable", hold_undumpable},
    {"thread", hold_in_thread}, {"forks", hold_with_forks}, {"vfork", hold_in_vfork},
    {"tables", hold_tables},   {"segments", hold_segments}, {"turns", hold_in_turn},   {"row", hold_row},
    {"swapped", hold_swapped},
};

int main(int argc, char **argv) {
  if (argc < 3) return 99;
  size_t bytes = (size_t)strtod(argv[2], NULL);
  memset(block, 1, sizeof block);
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strcmp(kinds[i].name, argv[1])) continue;
    kinds[i].hold(bytes);
    pause_ms(number(argv, 3, 0));
    printf("%zu\n", bytes);
    fflush(stdout);
    _exit(0);
  }
  return 99;
}
