// An owned descriptor: move-only, closed once, `release()` is the only way out. A raw int means borrowed.
#pragma once

#include "sys.h"

namespace sbx {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { sys::Close(fd_); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  // Gives the descriptor away; negative values (error numbers of a failed open) pass through.
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }
  void reset(int fd = -1) {
    sys::Close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

}  // namespace sbx
