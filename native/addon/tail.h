// Messages as they are put together: a record, then what its offsets lead to.
#pragma once

#include <string>
#include <string_view>

namespace sbx {

// Strings behind a record; offsets count from the record's start.
class Tail {
 public:
  explicit Tail(size_t base) : base_(base) {}
  uint32_t Add(std::string_view text) {
    const auto offset = (uint32_t)(base_ + bytes_.size());
    bytes_.append(text).push_back('\0');
    return offset;
  }
  uint32_t next() const { return (uint32_t)(base_ + bytes_.size()); }
  const std::string& bytes() const { return bytes_; }

 private:
  size_t base_;
  std::string bytes_;
};

template <typename Record>
std::string Bytes(const Record& record, const std::string& tail) {
  std::string message(reinterpret_cast<const char*>(&record), sizeof(record));
  return message.append(tail);
}

}  // namespace sbx
