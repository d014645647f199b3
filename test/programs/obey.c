/*
 * obey: does what each line of stdin says and answers "ok": "burn MS" spins for MS of its own CPU time,
 * "hold BYTES" maps and touches memory, "drop" gives it back, "fork" leaves a child behind that sleeps,
 * "raise N", "exit N". At end of file it exits 0.
 */
#include <sys/mman.h>
#include "common.h"

static char *held;
static size_t held_bytes;

static void hold(size_t bytes) {
  held = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (held == MAP_FAILED) die("mmap");
  held_bytes = bytes;
  for (size_t i = 0; i < bytes; i += 4096) held[i] = 1;
}

static void obey(const char *word, double amount) {
  if (!strcmp(word, "burn")) spin_until_cpu(cpu_ms() + amount);
  if (!strcmp(word, "hold")) hold((size_t)amount);
  if (!strcmp(word, "drop")) munmap(held, held_bytes);
  if (!strcmp(word, "fork") && fork() == 0) {
    pause_ms(60000);
    _exit(0);
  }
  if (!strcmp(word, "raise")) raise((int)amount);
  if (!strcmp(word, "exit")) exit((int)amount);
}

int main(void) {
  char line[256], word[32];
  while (fgets(line, sizeof line, stdin)) {
    double amount = 0;
    if (sscanf(line, "%31s %lf", word, &amount) < 1) continue;
    obey(word, amount);
    printf("ok\n");
    fflush(stdout);
  }
  return 0;
}
