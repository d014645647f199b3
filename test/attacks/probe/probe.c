/*
 * probe: tries by enumeration all that a program can reach, and prints a table of it. `main.mjs` runs it from every kind of start
 * and with every profile, and holds the tables against the committed ones. Sections as arguments, all without; `send` and
 * `receive` are two ends of every channel that two programs could have (probe-channels.h).
 */
#include "probe-files.h"
#include "probe-calls.h"
#include "probe-channels.h"

static const struct { const char *name; void (*probe)(void); } SECTIONS[] = {
  {"posture", probe_posture},
  {"descriptors", probe_descriptors}, /* closes all but three */
  {"proc", probe_proc},
  {"mounts", probe_mounts},
  {"places", probe_places},
  {"namespaces", probe_namespaces},
  {"sockets", probe_sockets},
  {"ioctls", probe_ioctls},
  {"signals", probe_signals},
  {"calls", probe_calls},
};

int main(int argc, char **argv) {
  /* Off the terminal or pipe that it looks at: what it prints must not change what is there to be read. */
  setvbuf(stdout, NULL, _IOFBF, 1 << 20);
  if (argc > 1 && !strcmp(argv[1], "send")) return send_on_channels();
  if (argc > 1 && !strcmp(argv[1], "receive")) return receive_on_channels();
  for (unsigned i = 0; i < COUNT(SECTIONS); i++) {
    int wanted = argc == 1;
    for (int word = 1; word < argc; word++) wanted |= !strcmp(argv[word], SECTIONS[i].name);
    if (wanted) SECTIONS[i].probe();
    if (chdir("/w")) (void)!chdir("/");
  }
  printf("done\n");
  return 0;
}
