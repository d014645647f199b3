/*
 * serve-loopback: listens on 127.0.0.1 and ::1, connects to itself on both; prints "family: result" for each.
 */
#include <netinet/in.h>
#include <sys/socket.h>
#include "common.h"

static const char *attempt(struct sockaddr *at, socklen_t size) {
  int server = socket(at->sa_family, SOCK_STREAM, 0), client = socket(at->sa_family, SOCK_STREAM, 0);
  if (server < 0 || client < 0 || bind(server, at, size) != 0 || listen(server, 1) != 0) return errno_name(errno);
  if (getsockname(server, at, &size) != 0 || connect(client, at, size) != 0) return errno_name(errno);
  return "OK";
}

int main(void) {
  struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  printf("127.0.0.1: %s\n", attempt((struct sockaddr *)&v4, sizeof v4));
  printf("::1: %s\n", attempt((struct sockaddr *)&v6, sizeof v6));
  return 0;
}
