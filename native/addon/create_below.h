// Files that are made below a folder, with those that lead to them.
#pragma once

#include <sys/stat.h>

#include <string>

namespace sbx {

struct Creation {
  std::string path;
  mode_t mode, folderMode;
  bool follow;
  int flags;  // O_TRUNC, or for a file that keeps what it has, and its mode
};

// Opens a regular file to be written, its folders made where they are missing. As OpenBelow otherwise.
int CreateBelow(int dir, const Creation& creation);

}  // namespace sbx
