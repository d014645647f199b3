// Bytes that come piece by piece and are wanted whole. Few of them are in the heap. Many have a mapping of
// their own: it grows without being copied, comes in huge pages where the kernel has them, and all of it goes
// back to the kernel with them, while the heap of libc keeps what it once needed: 35 MiB of it after outputs
// of 16 MiB.
#pragma once

#include <stddef.h>

#include <string>
#include <string_view>

namespace sbx {

class Gathered {
 public:
  static constexpr size_t kHeapMaxBytes = 512 * 1024;

  Gathered() = default;
  ~Gathered() { Drop(); }
  Gathered(const Gathered&) = delete;
  Gathered& operator=(const Gathered&) = delete;

  std::string_view bytes() const { return {mapping_ == nullptr ? heap_.data() : mapping_, size_}; }
  size_t size() const { return size_; }
  // Out of memory this ends the process, as `new` does.
  void Append(const char* data, size_t size);

  // Room for so many bytes behind those that are there, to be written to; `Add` says how many were. nullptr:
  // no memory.
  char* Room(size_t size);
  void Add(size_t size) { size_ += size; }

  // The mapping, cut to what is in it, is the caller's to `munmap`, and nothing is left here. nullptr: they
  // are in the heap.
  char* Release();
  void Drop();

 private:
  bool Map(size_t size);

  std::string heap_;
  char* mapping_ = nullptr;
  size_t size_ = 0, mappedBytes_ = 0;
};

}  // namespace sbx
