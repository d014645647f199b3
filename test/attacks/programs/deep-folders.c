/* deep-folders narrow|wide|names: trees that break those who clean up by path. */
#include "attack.h"
static void narrow(void) {
  for (int depth = 0; depth < 30000; depth++)
    if (mkdir("d", 0755) != 0 || chdir("d") != 0) {
      printf("%d deep: %s\n", depth, errno_name(errno));
      return;
    }
}
static void wide(void) {
  char name[251];
  memset(name, 'n', 250);
  name[250] = 0;
  int depth = 0;
  while (depth < 400 && mkdir(name, 0755) == 0 && chdir(name) == 0) depth++;
  printf("%d levels of 250 bytes\n", depth);
}
static void names(void) {
  static const char *const odd[] = {"new\nline", "\xff\xfe", "-rf", "..foo", "*", " ", "$(id)", "`id`", "\"", "'", "a\\b", "...", "\x1b[2J"};
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) close(open(odd[i], O_CREAT | O_WRONLY, 0600));
  char longest[256];
  memset(longest, 'l', 255);
  longest[255] = 0;
  close(open(longest, O_CREAT | O_WRONLY, 0000));
  int made = 0;
  for (char name[16]; made < 4000; made++) {
    snprintf(name, sizeof name, "f%d", made);
    int fd = open(name, O_CREAT | O_WRONLY, 0000);
    if (fd < 0) break;
    close(fd);
  }
  printf("%d files\n", made);
}
int main(int argc, char **argv) {
  if (argc < 2) return 99;
  if (!strcmp(argv[1], "narrow")) narrow();
  if (!strcmp(argv[1], "wide")) wide();
  if (!strcmp(argv[1], "names")) names();
  return done();
}
