#include "gathered.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace sbx {
namespace {

size_t WholePages(size_t size) {
  const auto page = (size_t)getpagesize();
  return (size + page - 1) / page * page;
}

}  // namespace

void Gathered::Append(const char* data, size_t size) {
  if (size == 0) return;
  char* room = Room(size);
  if (room == nullptr) abort();  // as `new` does
  memcpy(room, data, size);
  Add(size);
}

char* Gathered::Room(size_t size) {
  const size_t wanted = size_ + size;
  if (mapping_ == nullptr && wanted <= kHeapMaxBytes) {
    heap_.resize(wanted);
    return heap_.data() + size_;
  }
  const bool enough = mappedBytes_ >= wanted ||
                      Map(WholePages(mapping_ == nullptr ? wanted : std::max(wanted, 2 * mappedBytes_)));
  return enough ? mapping_ + size_ : nullptr;
}

bool Gathered::Map(size_t size) {
  void* at = mapping_ == nullptr
                 ? mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                 : mremap(mapping_, mappedBytes_, size, MREMAP_MAYMOVE);
  if (at == MAP_FAILED) return false;
  (void)madvise(at, size, MADV_HUGEPAGE);
  if (mapping_ == nullptr) {
    memcpy(at, heap_.data(), size_);
    heap_ = std::string();
  }
  mapping_ = static_cast<char*>(at);
  mappedBytes_ = size;
  return true;
}

char* Gathered::Release() {
  if (size_ == 0) Drop();  // room that nothing came into
  if (mapping_ == nullptr) return nullptr;
  const size_t kept = WholePages(size_);
  if (kept < mappedBytes_) munmap(mapping_ + kept, mappedBytes_ - kept);
  char* mapping = std::exchange(mapping_, nullptr);
  size_ = mappedBytes_ = 0;
  return mapping;
}

void Gathered::Drop() {
  if (mapping_ != nullptr) munmap(mapping_, mappedBytes_);
  mapping_ = nullptr;
  heap_ = std::string();
  size_ = mappedBytes_ = 0;
}

}  // namespace sbx
