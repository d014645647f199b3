// What tests of messages share: descriptors beside a message, and changes that a broken or hostile sender
// could make.
#pragma once

#include <fcntl.h>
#include <string.h>

#include <memory>
#include <random>
#include <vector>

#include "../common/channel.h"

namespace sbx::test {

// A message in a block of exactly its size, so that reading one byte too many is seen.
class Block {
 public:
  explicit Block(const std::string& bytes) : size_(bytes.size()), bytes_(new char[bytes.size()]) {
    if (size_ > 0) memcpy(bytes_.get(), bytes.data(), size_);
  }
  const char* data() const { return bytes_.get(); }
  size_t size() const { return size_; }

 private:
  size_t size_;
  std::unique_ptr<char[]> bytes_;
};

// Puts `count` descriptors of /dev/null beside a message.
inline void Attach(Received& received, unsigned count) {
  received.fdCount = count;
  for (unsigned i = 0; i < count; ++i) received.fds[i].reset(open("/dev/null", O_RDONLY | O_CLOEXEC));
}

// Strings in a row; `Add` returns the offset.
class Strings {
 public:
  explicit Strings(size_t base) : base_(base) {}
  uint32_t Add(const std::string& text) {
    const auto offset = (uint32_t)(base_ + bytes_.size());
    bytes_ += text;
    bytes_ += '\0';
    return offset;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  size_t base_;
  std::string bytes_;
};

template <typename Record>
std::string BytesOf(const Record& record) {
  return std::string(reinterpret_cast<const char*>(&record), sizeof(record));
}

// Changes a message in one to four places: bits, whole words with telling values, its end.
class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  std::string Mutate(std::string message) {
    for (unsigned times = 1 + Below(4); times > 0 && !message.empty(); --times) Once(message);
    return message;
  }
  uint32_t Below(uint32_t bound) { return bound == 0 ? 0 : (uint32_t)(random_() % bound); }

 private:
  void Once(std::string& message) {
    switch (Below(6)) {
      case 0: message[Below((uint32_t)message.size())] ^= (char)(1 << Below(8)); return;
      case 1: message[Below((uint32_t)message.size())] = '\0'; return;
      case 2: return message.resize(Below((uint32_t)message.size()) + 1);
      case 3: return (void)message.append(Below(64), Below(2) == 0 ? 'x' : '\0');
      default: return SetWord(message);
    }
  }

  void SetWord(std::string& message) {
    if (message.size() < 4) return;
    const auto size = (uint32_t)message.size();
    const uint32_t telling[] = {0, 1, 2, 7, 8, 9, 12, 16, 47, 48, 49, 96, 128, 129, 255, 256, 0xffff,
        size - 1, size, size + 1, 0x7fffffff, 0x80000000, 0xffffffff, random32()};
    const uint32_t word = telling[Below(sizeof(telling) / sizeof(telling[0]))];
    memcpy(message.data() + Below(size / 4) * 4, &word, sizeof(word));
  }

  uint32_t random32() { return (uint32_t)random_(); }

  std::mt19937 random_;
};

}  // namespace sbx::test
