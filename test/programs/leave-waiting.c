/*
 * leave-waiting COUNT BYTES [datagrams]: connects so many times to listeners of its own that never accept, sends so many bytes on
 * each connection and closes its end of it; says how many it made, and waits. `datagrams`: begins so many of so many bytes.
 */
#include <netinet/in.h>
#include <sys/socket.h>
#include "common.h"

enum { backlog = 4000 };

static char chunk[1 << 20];

static void leave(const struct sockaddr_in *at, long bytes) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (fd < 0) die("socket");
  if (connect(fd, (const struct sockaddr *)at, sizeof *at) != 0 && errno != EINPROGRESS) die("connect");
  for (long size; bytes > 0 && (size = write(fd, chunk, bytes)) > 0;) bytes -= size;
  close(fd);
}

/* More of it is to come, which does not. */
static void begin_datagram(long bytes) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_port = 1};
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (fd < 0 || sendto(fd, chunk, bytes, MSG_MORE, (struct sockaddr *)&at, sizeof at) != bytes) die("sendto");
}

int main(int argc, char **argv) {
  if (argc < 3) return 64;
  int count = atoi(argv[1]);
  long bytes = atol(argv[2]);
  for (int i = 0; argc > 3 && i < count; i++) begin_datagram(bytes);
  for (int made = argc > 3 ? count : 0; made < count;) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&at, size) != 0 || listen(listener, backlog) != 0) die("listen");
    if (getsockname(listener, (struct sockaddr *)&at, &size) != 0) die("getsockname");
    for (int i = 0; i < backlog && made < count; i++, made++) leave(&at, bytes);
  }
  printf("%d\n", count);
  fflush(stdout);
  for (;;) pause();
}
