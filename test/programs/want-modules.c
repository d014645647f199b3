/*
 * Asks the kernel, in every way that a program has, for what it would load a module for: families and protocols
 * of sockets, their requests and options, line disciplines, personalities. What each answers is of no interest.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static void ask_of_socket(int fd) {
  /* An interface's name, numbers of a bridge's command: both mean little, and are looked at after the module. */
  unsigned long words[16] = {0};
  for (unsigned request = 0x8900; request < 0x8a00; ++request) ioctl(fd, request, words);
  const char *names[] = {"vegas", "tls", "espintcp", "mptcp", "smc"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; ++i) {
    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, names[i], strlen(names[i]));
    setsockopt(fd, IPPROTO_TCP, TCP_ULP, names[i], strlen(names[i]) + 1);
  }
  /* Of sockets, IP, TCP, UDP, IPv6, ICMPv6, raw ones, and those with numbers of their own. */
  const int levels[] = {1, 0, 6, 17, 41, 58, 255, 263, 268, 270, 271, 273, 275, 279, 281, 282, 283, 284, 285, 286};
  for (unsigned i = 0; i < sizeof levels / sizeof *levels; ++i)
    for (int name = 0; name < 140; ++name) {
      unsigned length = sizeof words;
      getsockopt(fd, levels[i], name, words, &length);
      setsockopt(fd, levels[i], name, words, sizeof words);
    }
}

int main(void) {
  for (int family = 0; family < 48; ++family)
    for (int type = 1; type <= 10; ++type) {
      const int protocols[] = {0, 1, 2, 3, 4, 6, 9, 12, 16, 17, 33, 47, 58, 99, 115, 132, 136, 143, 256, 262};
      for (unsigned i = 0; i < sizeof protocols / sizeof *protocols; ++i) {
        const int fd = socket(family, type, protocols[i]);
        if (fd < 0) continue;
        ask_of_socket(fd);
        close(fd);
      }
    }
  for (int discipline = 0; discipline < 40; ++discipline) ioctl(0, TIOCSETD, &discipline);
  return 0;
}
