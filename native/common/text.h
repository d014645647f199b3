// The little text handling that a program without libc needs.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace sbx {

inline size_t Length(const char* text) {
  size_t size = 0;
  while (text[size] != '\0') ++size;
  return size;
}

inline bool StartsWith(const char* text, const char* prefix) {
  while (*prefix != '\0')
    if (*text++ != *prefix++) return false;
  return true;
}

inline bool Equal(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

// Decimal text of a number, in a buffer of its own; `View` to use it.
class Decimal {
 public:
  explicit Decimal(uint64_t value) {
    char* at = digits_ + sizeof(digits_) - 1;
    *at = '\0';
    do *--at = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    text_ = at;
  }
  const char* text() const { return text_; }

 private:
  char digits_[21];
  const char* text_;
};

// A bounded string builder; over-long input is cut, and `ok()` says so.
template <size_t kSize>
class Text {
 public:
  Text& operator<<(const char* part) {
    while (*part != '\0') Add(*part++);
    return *this;
  }
  Text& operator<<(uint64_t number) { return *this << Decimal(number).text(); }
  const char* text() const { return buffer_; }
  size_t size() const { return size_; }
  bool ok() const { return !cut_; }

 private:
  void Add(char c) {
    if (size_ + 1 >= kSize) {
      cut_ = true;
      return;
    }
    buffer_[size_++] = c;
    buffer_[size_] = '\0';
  }
  char buffer_[kSize] = {};
  size_t size_ = 0;
  bool cut_ = false;
};

}  // namespace sbx
