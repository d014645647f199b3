int main() {
  for (unsigned volatile spins = 0;; spins = spins + 1) continue;
}
