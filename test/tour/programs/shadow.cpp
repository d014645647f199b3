// Says what happened, never what it read.
#include <fstream>
#include <iostream>

int main() {
  std::ifstream file("/etc/shadow");
  std::cout << (file ? "read" : "refused") << '\n';
}
