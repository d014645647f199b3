/*
 * send-descriptors [MS]: sends as many descriptors to sockets of its own as the kernel lets it, leaves them
 * there, says why it was refused, and sleeps.
 */
#include <sys/socket.h>
#include "common.h"

enum { at_once = 250 };

static int send_some(int to) {
  static int copies[at_once]; /* all of the standard input */
  char byte = 0, room[CMSG_SPACE(sizeof copies)] __attribute__((aligned(8))) = {0};
  struct iovec data = {&byte, 1};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  struct cmsghdr *head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof copies);
  memcpy(CMSG_DATA(head), copies, sizeof copies);
  return sendmsg(to, &message, MSG_DONTWAIT) < 0 ? errno : 0;
}

int main(int argc, char **argv) {
  (void)argc;
  int ends[2], refused = EAGAIN;
  while (refused == EAGAIN) {
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0) die("socketpair");
    while ((refused = send_some(ends[0])) == 0) continue;
  }
  printf("%s\n", errno_name(refused));
  fflush(stdout);
  pause_ms(number(argv, 1, 0));
  return 0;
}
