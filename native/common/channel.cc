#include "channel.h"

#include <errno.h>

namespace sbx {
namespace {

// Room for one control message of kDescriptorsMax descriptors, aligned as the kernel wants it.
union Control {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int) * kDescriptorsMax)];
};

}  // namespace

int Send(int socket, const void* data, size_t size, const int* fds, unsigned fdCount, int flags) {
  const struct iovec part = {const_cast<void*>(data), size};
  return SendParts(socket, &part, 1, fds, fdCount, flags);
}

int SendParts(
    int socket, const struct iovec* parts, unsigned count, const int* fds, unsigned fdCount, int flags) {
  struct msghdr message = {};
  message.msg_iov = const_cast<struct iovec*>(parts);
  message.msg_iovlen = count;
  Control control;
  if (fdCount > 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * fdCount);
    control.header = {};  // musl's has padding, which the kernel reads as the upper half of the length
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof(int) * fdCount);
    __builtin_memcpy(CMSG_DATA(&control.header), fds, sizeof(int) * fdCount);
  }
  const long sent = sys::SendMsg(socket, &message, flags);
  return sent < 0 ? (int)sent : 0;
}

void Receive(int socket, void* buffer, size_t capacity, Received& received, int flags) {
  struct iovec part = {buffer, capacity};
  struct msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  Control control;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof(control);
  received.fdCount = 0;
  received.size = sys::RecvMsg(socket, &message, flags);
  // The other side ended with a message of ours unread. What it had sent before is still there, behind this
  // one error.
  if (received.size == -ECONNRESET) received.size = sys::RecvMsg(socket, &message, flags);
  if (received.size < 0) return;
  received.truncated = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
  if (message.msg_controllen < sizeof(struct cmsghdr)) return;
  if (control.header.cmsg_level != SOL_SOCKET || control.header.cmsg_type != SCM_RIGHTS) return;
  received.fdCount = (unsigned)((control.header.cmsg_len - CMSG_LEN(0)) / sizeof(int));
  for (unsigned i = 0; i < received.fdCount; ++i) {
    int fd;
    __builtin_memcpy(&fd, CMSG_DATA(&control.header) + i * sizeof(int), sizeof(int));
    received.fds[i].reset(fd);
  }
}

}  // namespace sbx
