/* helper-overwrite MS: for so long tries to open the helper's executable for writing, by every way that names it. */
#include "attack.h"
static void try_write(const char *path) {
  int fd = open(path, O_WRONLY | O_TRUNC);
  if (fd >= 0) {
    got(path);
    close(fd);
  }
}
static void script_of_itself(void) {
  int fd = open("s", O_CREAT | O_WRONLY | O_TRUNC, 0755);
  if (fd < 0) return;
  (void)!write(fd, "#!/proc/self/exe\n", 17);
  close(fd);
  pid_t pid = fork();
  if (pid == 0) {
    execl("./s", "s", (char *)NULL);
    _exit(0);
  }
  waitpid(pid, NULL, 0);
}
int main(int argc, char **argv) {
  if (argc < 2 || argv[1][0] == '.') _exit(0); /* run by its own script */
  double end = wall_ms() + number(argv, 1, 200);
  script_of_itself();
  while (wall_ms() < end) {
    try_write("/proc/self/exe");
    try_write("/proc/1/exe");
    for (int pid = 2; pid < 20; pid++) {
      char path[32];
      snprintf(path, sizeof path, "/proc/%d/exe", pid);
      if (pid != getpid()) try_write(path);
    }
  }
  return done();
}
