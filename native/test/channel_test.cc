#include "../common/channel.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "test.h"

namespace sbx::test {
namespace {

struct Pair {
  Fd left, right;
  Pair() {
    int ends[2];
    if (sys::SocketPair(SOCK_SEQPACKET, ends) < 0) return;
    left.reset(ends[0]);
    right.reset(ends[1]);
  }
};

// As many descriptors as asked for, each of a file of its own.
std::vector<Fd> Files(unsigned count) {
  std::vector<Fd> files;
  for (unsigned i = 0; i < count; ++i) files.emplace_back(memfd_create("file", MFD_CLOEXEC));
  return files;
}

std::vector<int> Borrowed(const std::vector<Fd>& files) {
  std::vector<int> fds;
  fds.reserve(files.size());
  for (const Fd& file : files) fds.push_back(file.get());
  return fds;
}

bool SameFile(int left, int right) {
  struct stat a = {}, b = {};
  return fstat(left, &a) == 0 && fstat(right, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void ExpectPassed(unsigned count) {
  const Pair pair;
  const std::vector<Fd> files = Files(count);
  EXPECT_EQ(Send(pair.left.get(), "hello", 5, Borrowed(files).data(), count), 0);
  char buffer[64];
  Received received;
  Receive(pair.right.get(), buffer, sizeof(buffer), received);
  EXPECT_EQ(received.size, 5);
  EXPECT(!received.truncated);
  EXPECT_EQ(received.fdCount, count);
  for (unsigned i = 0; i < count && i < received.fdCount; ++i) {
    EXPECT(SameFile(received.fds[i].get(), files[i].get()));
    EXPECT(received.fds[i].get() != files[i].get());
    EXPECT_EQ(fcntl(received.fds[i].get(), F_GETFD), FD_CLOEXEC);
  }
}

TEST("a message without descriptors arrives whole") { ExpectPassed(0); }
TEST("one descriptor arrives, in order and close-on-exec") { ExpectPassed(1); }
TEST("an odd number of descriptors arrives, padding or not") { ExpectPassed(7); }
TEST("as many descriptors as a message may have arrive") { ExpectPassed(kDescriptorsMax); }

// More than fit: sent past our own writer, as another one could.
void SendTooMany(int socket, unsigned count) {
  const std::vector<Fd> files = Files(count);
  std::vector<char> control(CMSG_SPACE(sizeof(int) * count));
  struct iovec part = {const_cast<char*>("x"), 1};
  struct msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  struct cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int) * count);
  for (unsigned i = 0; i < count; ++i) {
    const int fd = files[i].get();
    __builtin_memcpy(CMSG_DATA(header) + i * sizeof(int), &fd, sizeof(int));
  }
  EXPECT_EQ(sendmsg(socket, &message, 0), 1);
}

TEST("descriptors that do not fit are told as truncated, and those that came are closed") {
  for (const unsigned count : {kDescriptorsMax + 1, 253u}) {
    const Pair pair;
    SendTooMany(pair.left.get(), count);
    char buffer[64];
    Received received;
    Receive(pair.right.get(), buffer, sizeof(buffer), received);
    EXPECT_EQ(received.size, 1);
    EXPECT(received.truncated);
    EXPECT_EQ(received.fdCount, kDescriptorsMax);
  }
}

TEST("data that does not fit is told as truncated") {
  const Pair pair;
  EXPECT_EQ(Send(pair.left.get(), "0123456789", 10, nullptr, 0), 0);
  char buffer[4];
  Received received;
  Receive(pair.right.get(), buffer, sizeof(buffer), received);
  EXPECT(received.truncated);
  EXPECT_EQ(std::string(buffer, 4), std::string("0123"));
}

TEST("messages keep their borders") {
  const Pair pair;
  EXPECT_EQ(Send(pair.left.get(), "ab", 2, nullptr, 0), 0);
  EXPECT_EQ(Send(pair.left.get(), "cde", 3, nullptr, 0), 0);
  char buffer[64];
  for (const long size : {2, 3}) {
    Received received;
    Receive(pair.right.get(), buffer, sizeof(buffer), received);
    EXPECT_EQ(received.size, size);
  }
}

TEST("a side that is gone is a message of no bytes") {
  Pair pair;
  pair.left.reset();
  char buffer[64];
  Received received;
  Receive(pair.right.get(), buffer, sizeof(buffer), received);
  EXPECT_EQ(received.size, 0);
  EXPECT_EQ(received.fdCount, 0u);
}

TEST("sending to a side that is gone fails and raises no signal") {
  Pair pair;
  pair.left.reset();
  EXPECT_EQ(Send(pair.right.get(), "x", 1, nullptr, 0), -EPIPE);
}

TEST("nothing to read yet is EAGAIN when asked not to wait") {
  const Pair pair;
  char buffer[64];
  Received received;
  Receive(pair.right.get(), buffer, sizeof(buffer), received, MSG_DONTWAIT);
  EXPECT_EQ(received.size, -EAGAIN);
}

TEST("a side that does not read is EAGAIN when asked not to wait") {
  const Pair pair;
  const std::string large(32 * 1024, 'x');
  int sent = 0;
  for (int i = 0; i < 1000 && sent == 0; ++i)
    sent = Send(pair.left.get(), large.data(), large.size(), nullptr, 0, MSG_DONTWAIT);
  EXPECT_EQ(sent, -EAGAIN);
}

TEST("a full-size message passes") {
  const Pair pair;
  const std::string message(kMessageBytesMax, 'm');
  EXPECT_EQ(Send(pair.left.get(), message.data(), message.size(), nullptr, 0), 0);
  std::string buffer(kMessageBytesMax, '\0');
  Received received;
  Receive(pair.right.get(), buffer.data(), buffer.size(), received);
  EXPECT_EQ(received.size, (long)kMessageBytesMax);
  EXPECT(!received.truncated);
  EXPECT(buffer == message);
}

TEST("a used Received lets go of its descriptors when it is filled again") {
  const Pair pair;
  const std::vector<Fd> files = Files(3);
  char buffer[8];
  Received received;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(Send(pair.left.get(), "x", 1, Borrowed(files).data(), 3), 0);
    Receive(pair.right.get(), buffer, sizeof(buffer), received);
    EXPECT_EQ(received.fdCount, 3u);
  }
}

}  // namespace
}  // namespace sbx::test
