/*
 * serve-port ADDRESS PORT MODE: listens there and prints "ready". Connections are served one after another.
 *   echo   what comes goes back; at its end "end" follows
 *   flood  bytes for as long as they are taken, of which it holds few itself
 *   deaf   no connection is accepted; all but the first find no room
 */
#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include "common.h"

static int listening(const char *address, int port, int backlog) {
  struct sockaddr_storage at = {0};
  struct sockaddr_in *v4 = (void *)&at;
  struct sockaddr_in6 *v6 = (void *)&at;
  int is6 = strchr(address, ':') != NULL, on = 1;
  at.ss_family = is6 ? AF_INET6 : AF_INET;
  if (is6) v6->sin6_port = htons(port);
  else v4->sin_port = htons(port);
  inet_pton(at.ss_family, address, is6 ? (void *)&v6->sin6_addr : (void *)&v4->sin_addr);
  int fd = socket(at.ss_family, SOCK_STREAM, 0);
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, (void *)&at, is6 ? sizeof *v6 : sizeof *v4) != 0 || listen(fd, backlog) != 0) exit(98);
  return fd;
}

static void echo(int fd) {
  char bytes[65536];
  for (ssize_t size; (size = read(fd, bytes, sizeof bytes)) > 0;)
    for (ssize_t done = 0; done < size;) {
      ssize_t written = write(fd, bytes + done, size - done);
      if (written < 0) return;
      done += written;
    }
  (void)!write(fd, "end", 3);
}

int main(int argc, char **argv) {
  if (argc < 4) return 99;
  static char zeros[65536];
  char mode = argv[3][0];
  signal(SIGPIPE, SIG_IGN);
  int server = listening(argv[1], (int)number(argv, 2, 80), mode == 'd' ? 0 : 128);
  printf("ready\n");
  fflush(stdout);
  while (mode == 'd') pause();
  for (;;) {
    int fd = accept(server, NULL, NULL);
    if (fd < 0) continue;
    if (mode == 'e') echo(fd);
    else {
      int bytes = 4096; /* of its own buffer */
      setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
      while (write(fd, zeros, sizeof zeros) > 0) continue;
    }
    close(fd);
  }
}
