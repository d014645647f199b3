// A hostile tree can be 30 000 folders deep or have names that add up past any path limit: no recursion, no
// path. Folders found inside are moved up into the one that is being emptied, so two descriptors are enough
// for any depth.
#pragma once

#include <string>
#include <vector>

#include "../common/fd.h"

namespace sbx {

class TreeRemover {
 public:
  // Takes over `dir`, the folder that holds what is to go. `owner`: as for AsOwner; moving a folder makes a
  // name.
  TreeRemover(int dir, int64_t owner) : top_(dir), owner_(owner) {}

  // Removes `name` and all below it. Returns 0 or a negative error number.
  int Run(const std::string& name);

 private:
  int Remove(const char* name);
  int RemovePending();
  int Empty(const char* name);
  int Take(int folder, const char* name);

  int MoveUp(int folder, const char* name);

  Fd top_;
  int64_t owner_;
  unsigned next_ = 0;
  std::vector<std::string> pending_;
};

}  // namespace sbx
