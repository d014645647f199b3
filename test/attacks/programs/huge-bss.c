/* huge-bss: 800 MiB of static data, touched in full. */
#include "attack.h"
static char data[800 << 20];
int main(void) {
  for (size_t i = 0; i < sizeof data; i += 4096) ((volatile char *)data)[i] = 1;
  return done();
}
