/* exit-with CODE */
#include "common.h"
int main(int argc, char **argv) {
  (void)argc;
  return (int)number(argv, 1, 0);
}
