/*
 * connect-to KIND ADDRESS [PORT]: KIND is tcp, tcp6, udp, abstract or path. Prints "OK" or the errno name;
 * gives up after a second.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "common.h"

static socklen_t parse(char **argv, struct sockaddr_storage *to) {
  struct sockaddr_in *v4 = (void *)to;
  struct sockaddr_in6 *v6 = (void *)to;
  struct sockaddr_un *local = (void *)to;
  in_port_t port = htons((int)number(argv, 3, 80));
  if (!strcmp(argv[1], "tcp6")) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = port;
    inet_pton(AF_INET6, argv[2], &v6->sin6_addr);
    return sizeof *v6;
  }
  if (!strcmp(argv[1], "abstract") || !strcmp(argv[1], "path")) {
    int hidden = argv[1][0] == 'a';
    local->sun_family = AF_UNIX;
    strncpy(local->sun_path + hidden, argv[2], sizeof local->sun_path - 2);
    return offsetof(struct sockaddr_un, sun_path) + hidden + strlen(argv[2]) + !hidden;
  }
  v4->sin_family = AF_INET;
  v4->sin_port = port;
  inet_pton(AF_INET, argv[2], &v4->sin_addr);
  return sizeof *v4;
}

static int finish(int fd) {
  struct pollfd wait = {fd, POLLOUT, 0};
  if (poll(&wait, 1, 1000) != 1) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

int main(int argc, char **argv) {
  if (argc < 3) return 99;
  struct sockaddr_storage to = {0};
  socklen_t size = parse(argv, &to);
  int udp = !strcmp(argv[1], "udp");
  int fd = socket(to.ss_family, (udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_NONBLOCK, 0);
  int error = fd < 0 ? errno : 0;
  if (!error && (udp ? sendto(fd, "x", 1, 0, (void *)&to, size) < 0 : connect(fd, (void *)&to, size) != 0)) error = errno;
  if (error == EINPROGRESS) error = finish(fd);
  printf("%s\n", error ? errno_name(error) : "OK");
  return 0;
}
