#include "../addon/gathered.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "test.h"

namespace sbx::test {
namespace {

std::string Pattern(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = (char)(i * 31 >> 4);
  return bytes;
}

bool IsMapped(const char* at, size_t size) {
  unsigned char pages[64];
  return mincore((void*)at, size, pages) == 0;
}

TEST("what is gathered stays whole while it grows out of the heap and on") {
  const std::string all = Pattern(5 * Gathered::kHeapMaxBytes + 7);
  Gathered gathered;
  for (size_t at = 0; at < all.size(); at += 65'521)
    gathered.Append(all.data() + at, std::min<size_t>(65'521, all.size() - at));
  EXPECT_EQ(gathered.size(), all.size());
  EXPECT(gathered.bytes() == all);
}

TEST("few bytes stay in the heap, also when there was room for more of them") {
  Gathered gathered;
  char* room = gathered.Room(100);
  memcpy(room, "seven", 5);
  gathered.Add(5);
  gathered.Append("teen", 4);
  EXPECT(gathered.bytes() == "seventeen");
  EXPECT(gathered.Release() == nullptr);
  gathered.Drop();
  EXPECT_EQ(gathered.size(), 0u);
}

TEST("a mapping is given away cut to the pages in use, and nothing is left") {
  const std::string all = Pattern(Gathered::kHeapMaxBytes + 1);
  Gathered gathered;
  char* room = gathered.Room(8 * Gathered::kHeapMaxBytes);
  memcpy(room, all.data(), all.size());
  gathered.Add(all.size());
  char* mapping = gathered.Release();
  REQUIRE(mapping != nullptr);
  EXPECT(std::string_view(mapping, all.size()) == all);
  EXPECT_EQ(gathered.size(), 0u);
  const size_t behind = Gathered::kHeapMaxBytes + 65'536;
  EXPECT(IsMapped(mapping, 1));
  EXPECT(!IsMapped(mapping + behind, 65'536));
  EXPECT_EQ(munmap(mapping, all.size()), 0);
  EXPECT(!IsMapped(mapping + Gathered::kHeapMaxBytes, 1));
}

TEST("room that cannot be had is refused, and what was there stays") {
  Gathered gathered;
  gathered.Append("here", 4);
  EXPECT(gathered.Room((size_t)1 << 60) == nullptr);
  EXPECT(gathered.bytes() == "here");
}

}  // namespace
}  // namespace sbx::test
