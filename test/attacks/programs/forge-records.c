/*
 * forge-records: writes to every descriptor that is not one of the three, sends descriptors and records to whatever is
 * a socket, looks for a channel by name.
 */
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "attack.h"
static char garbage[512];
static void send_descriptor(int fd, const char *what) {
  union {
    struct cmsghdr head;
    char space[CMSG_SPACE(sizeof(int))];
  } control = {.head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
  memset(CMSG_DATA(&control.head), 0, sizeof(int));
  struct iovec data = {garbage, sizeof garbage};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  tried(what, sendmsg(fd, &message, 0));
}
int main(void) {
  memset(garbage, 0x5a, sizeof garbage);
  for (int fd = 3; fd < 4096; fd++)
    if (write(fd, garbage, sizeof garbage) >= 0) got("a descriptor that takes bytes");
  for (int fd = 0; fd < 4096; fd++) {
    int type;
    socklen_t size = sizeof type;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0) send_descriptor(fd, "a socket");
  }
  static const char *const names[] = {"sbx", "sbx-zygote", "sbx-keeper", "sbx-init", "sbx-helper", "init"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path + 1, names[i]);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    tried(names[i], connect(fd, (struct sockaddr *)&address, offsetof(struct sockaddr_un, sun_path) + 1 + strlen(names[i])));
  }
  return done();
}
