#include <cstring>
#include <cstdlib>

int main() {
  const size_t block = 1 << 20;
  for (;;) {
    void *memory = std::malloc(block);
    if (memory == nullptr) return 9;
    std::memset(memory, 0xa5, block);
  }
}
