/*
 * fill-sockets tcp|udp COUNT: so many pairs of sockets on 127.0.0.1, each sent to until it takes no more, and read by nobody;
 * prints how many bytes of kernel memory wait in them.
 */
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include "common.h"

enum { sent_at_most = 16 << 20, pairs_max = 120 };

static char chunk[32 * 1024];

static int open_socket(int type) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  int fd = socket(AF_INET, type, 0), much = 1 << 30;
  if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) != 0) die("bind");
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &much, sizeof much);
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &much, sizeof much);
  return fd;
}

static void connect_to(int from, int to) {
  struct sockaddr_in at;
  socklen_t size = sizeof at;
  if (getsockname(to, (struct sockaddr *)&at, &size) != 0 || connect(from, (struct sockaddr *)&at, size) != 0) die("connect");
}

static void fill(int fd) {
  long sent = 0; /* UDP takes all, and drops what has no room */
  for (int refused = 0; refused < 3 && sent < sent_at_most;) {
    long size = send(fd, chunk, sizeof chunk, MSG_DONTWAIT);
    if (size > 0) sent += size;
    else if (refused++ < 2) pause_ms(1);
  }
}

static long waiting(int fd) {
  uint32_t figures[SK_MEMINFO_VARS] = {0};
  socklen_t size = sizeof figures;
  if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, figures, &size) != 0) die("SO_MEMINFO");
  return (long)figures[SK_MEMINFO_RMEM_ALLOC] + figures[SK_MEMINFO_WMEM_QUEUED];
}

int main(int argc, char **argv) {
  int tcp = argc > 1 && strcmp(argv[1], "tcp") == 0, count = (int)number(argv, 2, 1);
  int pairs[pairs_max][2], server = open_socket(SOCK_STREAM);
  long total = 0;
  if (count > pairs_max || listen(server, 8) != 0) die("listen");
  for (int i = 0; i < count; i++) {
    int from = open_socket(tcp ? SOCK_STREAM : SOCK_DGRAM), to = tcp ? server : open_socket(SOCK_DGRAM);
    connect_to(from, to);
    pairs[i][0] = from;
    pairs[i][1] = tcp ? accept(server, NULL, NULL) : to;
    fill(from);
  }
  for (int i = 0; i < count; i++) total += waiting(pairs[i][0]) + waiting(pairs[i][1]);
  printf("%ld\n", total);
  return 0;
}
