#include <cstdio>

int main() {
  for (;;) std::puts("all work and no play");
}
