// A hostile tree can be 30 000 folders deep or have names that add up past any path limit: no recursion, no
// path. Folders found inside are moved up into the one that is to go, so three descriptors are enough for any
// depth. And programs may go on making files in it for as long as they live, or keep its locks busy: no step
// begins when the time for it is over, which goes by the number of files that there are. What is left then is
// still in the folder.
#pragma once

#include <chrono>
#include <string>

#include "../common/fd.h"

namespace sbx {

// How long a removal may take: so much for any, and so much more for each file of the file system. Where
// nobody interferes a file takes 2 to 10 µs.
struct RemovalTime {
  std::chrono::microseconds base = std::chrono::seconds(2);
  std::chrono::microseconds perFile = std::chrono::microseconds(50);
};

class TreeRemover {
 public:
  // Takes over `dir`, the folder that holds what is to go. `owner`: as for AsOwner; moving a folder makes a
  // name.
  TreeRemover(int dir, int64_t owner, RemovalTime time = {}) : parent_(dir), owner_(owner), time_(time) {}

  // Removes `name` and all below it. Returns 0 or a negative error number: -ENOTEMPTY when its time was over.
  int Run(const std::string& name);

 private:
  int TakeAll(int folder);
  int Take(int folder, const char* name);
  int Clear(const char* name);
  int MoveUp(int folder, const char* name);
  bool IsOver() const { return Clock::now() >= endsAt_; }

  using Clock = std::chrono::steady_clock;

  Fd parent_, top_;
  int64_t owner_;
  RemovalTime time_;
  Clock::time_point endsAt_;
  unsigned next_ = 0;
};

}  // namespace sbx
