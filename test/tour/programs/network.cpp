// Connects to a server of the host (port in the first argument) and to one of the internet.
#include <arpa/inet.h>
#include <cstdlib>
#include <iostream>
#include <sys/socket.h>

static bool can_connect(const char *address, int port) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  inet_pton(AF_INET, address, &name.sin_addr);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  return connect(fd, reinterpret_cast<sockaddr *>(&name), sizeof name) == 0;
}

int main(int, char **argv) {
  const bool out = can_connect("127.0.0.1", std::atoi(argv[1])) || can_connect("1.1.1.1", 53);
  std::cout << (out ? "connected" : "refused") << '\n';
}
