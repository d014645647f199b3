// A temporary folder of a test, gone with it, and what is in it.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "../common/fd.h"

namespace sbx::test {

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/sbx-native-test-XXXXXX";
    if (mkdtemp(name) != nullptr) path_ = name;
    fd_.reset(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ~Folder() {
    std::error_code ignored;  // a test that fails may leave what this cannot remove
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  int fd() const { return fd_.get(); }
  std::string path(const std::string& name = "") const { return path_ + "/" + name; }
  bool Has(const std::string& name) const {
    struct stat status;
    return lstat(path(name).c_str(), &status) == 0;
  }
  size_t Count() const { return (size_t)std::distance(std::filesystem::directory_iterator(path_), {}); }

  bool Make(const std::string& name, mode_t mode = 0755) const {
    return mkdir(path(name).c_str(), mode) == 0;
  }
  bool Write(const std::string& name) const {
    return Fd(open(path(name).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644)).get() >= 0;
  }

 private:
  std::string path_;
  Fd fd_;
};

}  // namespace sbx::test
