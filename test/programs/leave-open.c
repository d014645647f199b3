/*
 * leave-open MODE [PATH]: what outlives its program, or tries to. Sockets that wait in each other's queues stay until
 * the kernel looks for such rings, with their names and with whatever descriptors wait in them.
 *   name    a socket with the name "left" waits in its own queue; says "bound", or why not
 *   stdout  1 and 2 wait in a ring
 *   lease   a lease on PATH, which waits in a ring; says why not
 *   keep    takes a descriptor that is sent to the socket PATH, and keeps it; says "ready" before
 *   give    sends 1 to the socket PATH, and writes to it
 */
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "common.h"

union control {
  struct cmsghdr head;
  char space[CMSG_SPACE(sizeof(int))];
};

static void send_fd(int socket, int fd) {
  union control control = {.head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
  memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
  struct iovec data = {"x", 1};
  struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  if (sendmsg(socket, &message, MSG_DONTWAIT) < 0) perror("sendmsg");
}

static void leave_in_ring(const int *fds, int count) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0) exit(98);
  for (int i = 0; i < count; i++) send_fd(pair[0], fds[i]);
  send_fd(pair[0], pair[1]);
  send_fd(pair[1], pair[0]);
}

static int leave_name(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "\0left"};
  const socklen_t size = offsetof(struct sockaddr_un, sun_path) + 5;
  int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
  if (bind(fd, (struct sockaddr *)&address, size) < 0) return puts(errno_name(errno)), 1;
  if (connect(fd, (struct sockaddr *)&address, size) < 0) return 98;
  send_fd(fd, fd);
  return puts("bound"), 0;
}

static int keep(int fd, const struct sockaddr_un *address) {
  if (bind(fd, (const struct sockaddr *)address, sizeof *address) < 0 || listen(fd, 1) < 0) return 98;
  (void)!write(1, "ready\n", 6);
  char byte;
  union control control;
  struct iovec data = {&byte, 1};
  struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  if (recvmsg(accept(fd, NULL, NULL), &message, 0) < 0) return 98;
  for (;;) pause();
}

int main(int argc, char **argv) {
  if (argc < 2) return 99;
  const char *mode = argv[1], *path = argc > 2 ? argv[2] : "";
  if (!strcmp(mode, "name")) return leave_name();
  if (!strcmp(mode, "stdout")) {
    (void)!write(1, "said\n", 5);
    return leave_in_ring((int[]){1, 2}, 2), 0;
  }
  if (!strcmp(mode, "lease")) {
    int fd = open(path, O_RDONLY);
    puts(fcntl(fd, F_SETLEASE, F_WRLCK) < 0 ? errno_name(errno) : "leased");
    return leave_in_ring(&fd, 1), 0;
  }
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (!strcmp(mode, "keep")) return keep(fd, &address);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) return 98;
  send_fd(fd, 1);
  (void)!write(1, "said\n", 5);
  return 0;
}
