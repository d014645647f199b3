int main() {
  int volatile *volatile nowhere = nullptr;
  *nowhere = 1;
}
