// The files of a cgroup that tests make up: memory files.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include "../helper/programs.h"
#include "test.h"

namespace sbx::test {

// A group's files, each of which is missing until it is written.
class GroupFiles {
 public:
  explicit GroupFiles(bool v1 = false) {
    for (int& fd : counters.fds) fd = -1;
    counters.oomEventfd = v1;
  }
  void Write(Counter counter, const std::string& text) {
    Fd& file = files_[counter];
    if (!file) file = Fd(memfd_create("counter", MFD_CLOEXEC));
    counters.fds[counter] = file.get();
    EXPECT_EQ(ftruncate(file.get(), 0), 0);
    EXPECT_EQ(pwrite(file.get(), text.data(), text.size(), 0), (ssize_t)text.size());
  }
  void Write(Counter counter, uint64_t number) { Write(counter, std::to_string(number) + "\n"); }
  std::string Text(Counter counter) const {
    char text[64];
    const ssize_t size = pread(files_[counter].get(), text, sizeof(text), 0);
    return std::string(text, size < 0 ? 0 : (size_t)size);
  }
  // As init has them, which closes them when the program is released.
  Counters Copy() const {
    Counters copy = counters;
    for (int& fd : copy.fds) fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return copy;
  }

  Counters counters;

 private:
  Fd files_[kCounterCount];
};

}  // namespace sbx::test
