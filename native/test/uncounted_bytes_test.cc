#include "../addon/uncounted_bytes.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "folders.h"
#include "test.h"

namespace sbx::test {
namespace {

constexpr uint64_t kAll = UINT64_MAX;
constexpr int64_t kLockBytes = 256;

// So many read locks, each of a byte, with gaps between them.
bool Lock(int file, int count) {
  for (int i = 0; i < count; ++i) {
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 2 * i, .l_len = 1, .l_pid = 0};
    if (fcntl(file, F_SETLK, &lock) != 0) return false;
  }
  return true;
}

int64_t Count(const std::vector<int>& pids, bool network = false, uint64_t enough = kAll) {
  const Fd proc(open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return UncountedBytes(proc.get(), pids, network, enough);
}

// A child that does its work, and then waits to be killed.
class Child {
 public:
  template <class Work>
  explicit Child(Work work) {
    int ready[2];
    if (pipe2(ready, O_CLOEXEC) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      work(ready[1]);
      for (;;) pause();
    }
    close(ready[1]);
    char byte = 0;
    isReady_ = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  int pid() const { return pid_; }
  bool isReady() const { return isReady_; }

 private:
  int pid_ = -1;
  bool isReady_ = false;
};

void Tell(int ready) { (void)!write(ready, "", 1); }

TEST("the locks of a process are counted, over all its files") {
  const Folder folder;
  REQUIRE(folder.Write("a") && folder.Write("b"));
  const Child child([&](int ready) {
    const int a = open(folder.path("a").c_str(), O_RDWR), b = open(folder.path("b").c_str(), O_RDWR);
    if (Lock(a, 3000) && Lock(b, 500)) Tell(ready);
  });
  REQUIRE(child.isReady());
  EXPECT_EQ(Count({child.pid()}), 3500 * kLockBytes);
  EXPECT_EQ(Count({}), 0);
  const int64_t some = Count({child.pid()}, false, 100 * kLockBytes);
  EXPECT(some > 100 * kLockBytes && some < 3500 * kLockBytes);
}

TEST("threads that share files count once, also when the main thread has ended") {
  const Folder folder;
  REQUIRE(folder.Write("a"));
  const Child child([&](int ready) {
    if (!Lock(open(folder.path("a").c_str(), O_RDWR), 1000)) return;
    for (int i = 0; i < 4; ++i) std::thread([] { pause(); }).detach();
    std::thread([=] {
      usleep(20'000);
      Tell(ready);
      pause();
    }).detach();
    (void)syscall(SYS_exit, 0);  // this thread alone
  });
  REQUIRE(child.isReady());
  EXPECT_EQ(Count({child.pid()}), 1000 * kLockBytes);
}

TEST("processes with files of their own add up; what they have read in common is not confused") {
  const Folder folder;
  REQUIRE(folder.Write("a"));
  const auto work = [&](int ready) {
    if (Lock(open(folder.path("a").c_str(), O_RDWR), 200)) Tell(ready);
  };
  const Child one(work), two(work);
  REQUIRE(one.isReady() && two.isReady());
  EXPECT_EQ(Count({one.pid(), two.pid()}), 400 * kLockBytes);
}

TEST("one file has at most so many locks, whoever of the program holds them") {
  const Folder folder;
  REQUIRE(folder.Write("a") && folder.Write("b"));
  const auto work = [&](int ready) {
    const int a = open(folder.path("a").c_str(), O_RDWR), b = open(folder.path("b").c_str(), O_RDWR);
    if (Lock(a, 2100) && Lock(b, 1900)) Tell(ready);
  };
  const Child one(work), two(work);
  REQUIRE(one.isReady() && two.isReady());
  EXPECT_EQ(Count({one.pid()}), 4000 * kLockBytes);
  EXPECT_EQ(Count({one.pid(), two.pid()}), -ENOLCK);
}

TEST("what files without an inode watch is read only when their common inode is locked") {
  const auto watch = [](int& epoll) {
    epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, eventfd(0, EFD_CLOEXEC), &event) == 0;
  };
  int epoll = -1;
  const Child watcher([&](int ready) {
    if (watch(epoll)) Tell(ready);
  });
  EXPECT_EQ(Count({watcher.pid()}), 0);
  const Child holder([&](int ready) {
    if (watch(epoll) && Lock(epoll, 300)) Tell(ready);
  });
  REQUIRE(watcher.isReady() && holder.isReady());
  EXPECT_EQ(Count({watcher.pid(), holder.pid()}), 300 * kLockBytes);
}

// In a network of the caller's own; 0, or what failed.
int MakeNetwork() {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return 1;
  const Fd any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  struct ifreq request = {};
  memcpy(request.ifr_name, "lo", 3);
  request.ifr_flags = IFF_UP;
  return ioctl(any.get(), SIOCSIFFLAGS, &request) == 0 ? 0 : 2;
}

// Connections that nobody accepts, with something sent on each, and a datagram of which that is the first
// part.
bool LeaveWaiting(int connections, size_t bytes) {
  const std::string data(bytes, 'x');
  struct sockaddr_in at = {};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(at);
  auto* address = (struct sockaddr*)&at;
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(listener, address, size) != 0 || listen(listener, 64) != 0) return false;
  if (getsockname(listener, address, &size) != 0) return false;
  for (int i = 0; i < connections; ++i) {
    const int to = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(to, address, size) != 0) return false;
    if (write(to, data.data(), bytes) != (ssize_t)bytes) return false;
  }
  const int datagrams = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  return sendto(datagrams, data.data(), bytes, MSG_MORE, address, size) == (ssize_t)bytes;
}

TEST("connections that nobody accepts and unsent datagrams count, in each network once") {
  const Child child([](int ready) {
    if (MakeNetwork() == 0 && LeaveWaiting(40, 10'000)) Tell(ready);
  });
  REQUIRE(child.isReady());
  const int64_t waiting = 40 * (4096 + 10'000);
  const int64_t counted = Count({child.pid()}, true);
  EXPECT(counted >= waiting + 10'000 && counted < waiting + 40'000);
  EXPECT_EQ(Count({child.pid(), child.pid()}, true), counted);
  EXPECT_EQ(Count({child.pid()}), 0);
}

TEST("few connections are not looked at") {
  const Child child([](int ready) {
    if (MakeNetwork() == 0 && LeaveWaiting(20, 10'000)) Tell(ready);
  });
  REQUIRE(child.isReady());
  EXPECT(Count({child.pid()}, true) < 40'000);
}

TEST("processes that are gone have nothing") { EXPECT_EQ(Count({0x3fffffff}, true), 0); }

}  // namespace
}  // namespace sbx::test
