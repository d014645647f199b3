/*
 * stop-others: stops everything it may signal, again and again.
 */
#include "common.h"
int main(void) {
  printf("go\n");
  fflush(stdout);
  for (;;) kill(-1, SIGSTOP);
}
