#include "uncounted_bytes.h"

#include <errno.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "../common/fd.h"
#include "../common/folder.h"

namespace sbx {
namespace {

// As much as Linux 6.18 was seen to take on 64 bits: for a lock; for both ends of a connection with what
// belongs to them; for what is left of one that was closed.
constexpr uint64_t kLockBytes = 256, kConnectionBytes = 4096, kClosedConnectionBytes = 256;
// Some 416 KiB each at the most, while nobody reads.
constexpr uint64_t kFewConnections = 64;
constexpr int kFiles = 2;  // KCMP_FILES
// Whoever closes a file, anybody on the machine, goes through all locks of it: some 10 ns for each.
constexpr uint64_t kLocksOfFileMax = 4096;
// CPU time for files without an inode of their own, in all of a program. One that is watched by many
// thousands takes some tenths of a second.
constexpr int64_t kAnonymousNsMax = 2'000'000'000;

// Words are parted by spaces, and numbers may be followed by more.
std::string_view Word(std::string_view line, unsigned number) {
  for (;; --number) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const size_t end = std::min(line.find(' '), line.size());
    if (number == 0) return line.substr(0, end);
    line.remove_prefix(end);
  }
}

uint64_t Value(std::string_view digits, int base = 10) {
  uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return value;
}

// All files without an inode of their own (epoll, inotify, eventfd) have one in common, on the whole machine:
// what is locked of it shows by any of them. Locks of our own do not.
bool AnyAnonymousIsLocked() {
  const Fd any((int)sys::Call(SYS_eventfd2, 0, O_CLOEXEC));
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0};
  return sys::Call(SYS_fcntl, any.get(), F_GETLK, &lock) >= 0 && lock.l_type != F_UNLCK;
}

class Counting {
 public:
  Counting(int proc, uint64_t enough)
      : proc_(proc),
        enough_(enough),
        anonymousIsLocked_(AnyAnonymousIsLocked()),
        text_(size_t{1} << 16, '\0') {}
  uint64_t bytes() const { return bytes_; }
  bool tooManyLocks() const { return tooManyLocks_; }
  bool isOver() const { return tooManyLocks_ || bytes_ > enough_; }

  void Add(int pid, bool network) {
    ForEachNumber(std::to_string(pid) + "/task", [&](int thread) {
      if (network) AddNetwork(thread);
      AddLocks(pid, thread);
    });
  }

 private:
  // A table of open files that several share is counted once. Where the kernel does not say, threads are
  // taken to share theirs, and processes not to.
  void AddLocks(int pid, int thread) {
    if (thread != pid && CompareFiles(pid, thread) <= 0) return;
    for (const int other : holders_)
      if (CompareFiles(other, thread) == 0) return;
    const uint64_t before = bytes_;
    const std::string folder = std::to_string(thread);
    ForEachNumber(folder + "/fdinfo", [&](int number) { AddLocksOf(folder, std::to_string(number)); });
    if (bytes_ > before) holders_.push_back(thread);
  }

  // What is watched stands in the same text, behind the locks: 100,000 lines of it, in each of a program's
  // numbers, would keep us from all others. So nothing is read where there can be no lock, and a program
  // that has it read for long is taken to hide them there.
  void AddLocksOf(const std::string& folder, const std::string& number) {
    const bool isAnonymous = IsAnonymous(folder + "/fd/" + number);
    if (isAnonymous && !anonymousIsLocked_) return;
    const int64_t begin = isAnonymous ? sys::ClockNs(CLOCK_THREAD_CPUTIME_ID) : 0;
    ForEachLine(folder + "/fdinfo/" + number, [&](std::string_view line) {
      if (line.starts_with("lock:")) AddLock(Word(line, 5));
    });
    if (!isAnonymous) return;
    anonymousNs_ += sys::ClockNs(CLOCK_THREAD_CPUTIME_ID) - begin;
    if (anonymousNs_ > kAnonymousNsMax) tooManyLocks_ = true;
  }

  bool IsAnonymous(const std::string& path) const {
    constexpr std::string_view kPrefix = "anon_inode:";
    char target[kPrefix.size()];
    const long size = sys::Call(SYS_readlinkat, proc_, path.c_str(), target, sizeof(target));
    return size == (long)sizeof(target) && std::string_view(target, sizeof(target)) == kPrefix;
  }

  // `file`: device and inode.
  void AddLock(std::string_view file) {
    bytes_ += kLockBytes;
    if (++locksOf_[std::string(file)] > kLocksOfFileMax) tooManyLocks_ = true;
  }

  // 0: the same table of open files; a negative error number where the kernel does not say.
  static long CompareFiles(int one, int other) { return sys::Call(SYS_kcmp, one, other, kFiles, 0, 0); }

  void AddNetwork(int thread) {
    const std::string folder = std::to_string(thread);
    struct stat status = {};
    if (fstatat(proc_, (folder + "/ns/net").c_str(), &status, 0) < 0) return;
    if (std::find(networks_.begin(), networks_.end(), status.st_ino) != networks_.end()) return;
    networks_.push_back(status.st_ino);
    if (HasManyConnections(folder))
      for (const char* name : {"/net/tcp", "/net/tcp6"})
        ForEachLine(folder + name, [&](std::string_view line) { AddConnection(line); });
    for (const char* name : {"/net/udp", "/net/udp6"})
      ForEachLine(folder + name, [&](std::string_view line) { bytes_ += SentAndReceived(line).first; });
    ForEachLine(folder + "/net/netlink", [&](std::string_view line) { bytes_ += Value(Word(line, 4)); });
  }

  // Their tables are of the whole machine, and take it milliseconds to look through. True, too, where their
  // number is not told.
  bool HasManyConnections(const std::string& folder) {
    bool isTold = false;
    uint64_t count = 0;
    for (const char* name : {"/net/sockstat", "/net/sockstat6"})
      ForEachLine(folder + name, [&](std::string_view line) {
        const std::string_view of = Word(line, 0);
        if (of == "TCP:") isTold = true;
        if (of == "TCP:" || of == "TCP6:") count += Value(Word(line, 2)) + Value(Word(line, 6));
      });
    return !isTold || count > kFewConnections;
  }

  // A closed end of a connection and one that nobody has accepted have no inode; what waits in the others is
  // counted by the group.
  void AddConnection(std::string_view line) {
    const auto [sent, received] = SentAndReceived(line);
    const std::string_view state = Word(line, 3);
    if (state == "0A") bytes_ += received * kConnectionBytes;  // that many wait
    else if (state == "06") bytes_ += kClosedConnectionBytes;
    else if (Word(line, 9) == "0") bytes_ += sent + received;
  }

  // Of a datagram socket the first is what is being put together to be sent, which is not counted either.
  static std::pair<uint64_t, uint64_t> SentAndReceived(std::string_view line) {
    const std::string_view queues = Word(line, 4);
    const size_t colon = std::min(queues.find(':'), queues.size());
    const uint64_t received = colon < queues.size() ? Value(queues.substr(colon + 1), 16) : 0;
    return {Value(queues.substr(0, colon), 16), received};
  }

  template <class Take>
  void ForEachNumber(const std::string& folder, Take take) {
    const Fd opened(sys::Open(proc_, folder.c_str(), O_RDONLY | O_DIRECTORY));
    if (!opened) return;
    (void)ForEachEntry(opened.get(), [&](const sys::FolderEntry& entry) {
      if (entry.name[0] != '.') take((int)Value(entry.name));
      return isOver() ? -1 : 0;
    });
  }

  template <class Take>
  void ForEachLine(const std::string& path, Take take) {
    const Fd file(sys::Open(proc_, path.c_str(), O_RDONLY));
    if (!file) return;
    size_t held = 0;
    while (!isOver()) {
      const long size = sys::Read(file.get(), text_.data() + held, text_.size() - held);
      if (size <= 0) return;
      held += (size_t)size;
      const std::string_view text(text_.data(), held);
      size_t start = 0;
      for (size_t end; (end = text.find('\n', start)) != std::string_view::npos; start = end + 1)
        take(text.substr(start, end - start));
      if (start == 0 && held == text_.size()) start = held;  // no line that matters is so long
      held -= start;
      text_.replace(0, held, text_, start, held);
    }
  }

  const int proc_;
  const uint64_t enough_;
  const bool anonymousIsLocked_;
  uint64_t bytes_ = 0;
  bool tooManyLocks_ = false;
  int64_t anonymousNs_ = 0;
  std::unordered_map<std::string, uint64_t> locksOf_;
  // A thread of each table of open files that has locks, and the networks that were looked at.
  std::vector<int> holders_;
  std::vector<ino_t> networks_;
  std::string text_;
};

}  // namespace

int64_t UncountedBytes(int proc, const std::vector<int>& pids, bool network, uint64_t enough) {
  Counting counting(proc, enough);
  for (const int pid : pids) {
    if (counting.isOver()) break;
    counting.Add(pid, network);
  }
  return counting.tooManyLocks() ? -ENOLCK : (int64_t)counting.bytes();
}

}  // namespace sbx
