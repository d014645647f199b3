// Every process makes more, as fast as it can; at the limit they keep trying.
#include <unistd.h>

int main() {
  for (;;) fork();
}
