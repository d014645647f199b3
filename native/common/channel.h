// One message with descriptors over a SEQPACKET socket, for both ends. No allocation.
#pragma once

#include "fd.h"
#include "record.h"

namespace sbx {

// A received message: `size` bytes in the caller's buffer and up to kDescriptorsMax owned descriptors.
struct Received {
  long size = 0;  // 0: the other side is gone; negative: error number
  unsigned fdCount = 0;
  Fd fds[kDescriptorsMax];
  bool truncated = false;  // more data or descriptors than fit: a protocol error
};

// Returns 0 or a negative error number. `flags`: MSG_DONTWAIT to fail with EAGAIN instead of waiting.
[[nodiscard]] int Send(
    int socket, const void* data, size_t size, const int* fds, unsigned fdCount, int flags = 0);
// One message from several places.
[[nodiscard]] int SendParts(
    int socket, const struct iovec* parts, unsigned count, const int* fds, unsigned fdCount, int flags = 0);
void Receive(int socket, void* buffer, size_t capacity, Received& received, int flags = 0);

}  // namespace sbx
