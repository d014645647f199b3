// Longest strictly increasing subsequence, n log n.
#include <algorithm>
#include <iostream>
#include <vector>

int main() {
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);
  int count = 0;
  std::cin >> count;
  std::vector<long> tails;
  for (long value; count-- > 0 && std::cin >> value;) {
    auto place = std::lower_bound(tails.begin(), tails.end(), value);
    if (place == tails.end()) tails.push_back(value);
    else *place = value;
  }
  std::cout << tails.size() << '\n';
}
