/* Descriptors, /proc, mounts, namespaces: everything that can be opened. */
#include "probe.h"
#include "probe-cpu.h"
#include <linux/fs.h>
#include <linux/nsfs.h>

enum { DESCRIPTORS = 1024, WALK = 12 };

static int is_own_root(struct stat *seen) {
  struct stat root;
  return stat("/", &root) == 0 && root.st_dev == seen->st_dev && root.st_ino == seen->st_ino;
}

/* As far up as it goes from a descriptor: it must end at the root that everybody has here. */
static const char *walk_up(int fd) {
  struct stat seen;
  char path[3 * WALK + 1] = "";
  for (int i = 0; i < WALK; i++) {
    strcat(path, i ? "/.." : "..");
    int up = openat(fd, path, O_PATH | O_CLOEXEC);
    if (up < 0) return errno_name(errno);
    fstat(up, &seen);
    close(up);
  }
  return is_own_root(&seen) ? "the own root" : "ANOTHER ROOT";
}

static void probe_descriptors(void) {
  for (int fd = 0; fd < DESCRIPTORS; fd++) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0) continue;
    char path[64], target[PATH_MAX] = "", subject[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    snprintf(subject, sizeof subject, "%d", fd);
    struct stat seen;
    fstat(fd, &seen);
    ssize_t size = readlink(path, target, sizeof target - 1);
    if (size < 0) strcpy(target, errno_name(errno));
    const int again = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    const char *reopened = outcome(again);
    if (again >= 0) close(again);
    row("descriptor", subject, "%s, mode %o, flags %o, up %s, fchdir %s, reopened %s", without_numbers(target), seen.st_mode & S_IFMT,
        flags & (O_ACCMODE | O_PATH), walk_up(fd), outcome(fchdir(fd)), reopened);
    if (chdir("/w")) (void)!chdir("/");
  }
}

static const char *read_outcome(const char *path) {
  char byte;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return errno_name(errno);
  const ssize_t size = read(fd, &byte, 1);
  const char *said = size < 0 ? errno_name(errno) : size == 0 ? "empty" : "OK";
  close(fd);
  return said;
}

static const char *write_outcome(const char *path) {
  int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return errno_name(errno);
  close(fd);
  return "OK";
}

/* How a folder's files can be opened, without the names, which are those of the modules that a kernel has loaded. */
static void probe_names(const char *path) {
  char *names[512], file[2 * PATH_MAX];
  int count = names_of(path, names, 512), read = 0, written = 0;
  for (int i = 0; i < count; i++) {
    snprintf(file, sizeof file, "%s/%s", path, names[i]);
    read |= !strcmp(read_outcome(file), "OK");
    written |= !strcmp(write_outcome(file), "OK");
    free(names[i]);
  }
  row("proc", path, "folder %s, files are %s, %s", count < 0 ? errno_name(errno) : "OK", read ? "read" : "not read", written ? "WRITTEN" : "not written");
}

static void probe_entry(const char *base, const char *name, int depth);

static void probe_folder(const char *path, int depth) {
  char *names[512];
  int count = names_of(path, names, 512);
  if (count < 0) {
    row("proc", path, "folder %s", errno_name(errno));
    return;
  }
  row("proc", path, "folder OK");
  for (int i = 0; i < count; i++) {
    probe_entry(path, names[i], depth);
    free(names[i]);
  }
}

/* Folders whose names are numbers or addresses, and what is the same under every thread. */
static int is_repeated(const char *name) {
  return !strcmp(name, "task") || !strcmp(name, "map_files") || !strcmp(name, "fdinfo") || !strcmp(name, "fd");
}

static void probe_entry(const char *base, const char *name, int depth) {
  char path[PATH_MAX], target[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", base, name);
  struct stat seen;
  if (lstat(path, &seen)) {
    row("proc", path, "lstat %s", errno_name(errno));
    return;
  }
  if (S_ISLNK(seen.st_mode)) {
    ssize_t size = readlink(path, target, sizeof target - 1);
    if (size >= 0) target[size] = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    row("proc", path, "link to %s, open %s", size < 0 ? errno_name(errno) : without_numbers(target), outcome(fd));
    if (fd >= 0) close(fd);
  } else if (S_ISDIR(seen.st_mode)) {
    if (is_repeated(name)) row("proc", path, "folder %s", outcome(access(path, R_OK | X_OK)));
    else if (!strcmp(name, "net")) probe_names(path);
    else if (depth > 0) probe_folder(path, depth - 1);
  } else {
    const char *read = read_outcome(path);
    /* It tells of AVX-512 alone. */
    if (!strcmp(name, "arch_status")) read = if_cpu_has(cpu_has_avx512(), read, "empty");
    row("proc", path, "read %s, write %s", read, write_outcome(path));
  }
}

static const char *const OF_OTHERS[] = {"root", "cwd", "exe", "fd", "fd/0", "environ", "mem", "maps", "stack", "ns/mnt", "ns/user", "cgroup", "status", "task/1/root", "map_files"};

static void probe_proc(void) {
  char *names[512];
  char others[512] = "";
  int count = names_of("/proc", names, 512);
  row("proc", "/proc", "folder %s", count < 0 ? errno_name(errno) : "OK");
  for (int i = 0; i < count; i++) {
    if (isdigit((unsigned char)names[i][0])) {
      const int pid = atoi(names[i]);
      strcat(others, pid == 1 ? " init" : pid == getpid() ? " self" : " another");
    } else if (strcmp(names[i], "self") && strcmp(names[i], "thread-self"))
      probe_entry("/proc", names[i], 3);
  }
  row("proc", "processes", "%s", others);
  probe_folder("/proc/self", 2);
  for (unsigned i = 0; i < COUNT(OF_OTHERS); i++) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "/proc/1/%s", OF_OTHERS[i]);
    row("proc", path, "read %s, write %s, entered %s", read_outcome(path), write_outcome(path), outcome(chdir(path)));
  }
}

/* Of what is bound from the host only how, since it has other file systems on every machine; once for all that are alike. */
static const char *kind_of(const char *type) {
  static const char *const OURS[] = {"tmpfs", "proc", "devpts", "sysfs", "cgroup", "cgroup2", "mqueue", "bpf", "devtmpfs", "securityfs", "debugfs"};
  for (unsigned i = 0; i < COUNT(OURS); i++)
    if (!strcmp(type, OURS[i])) return type;
  return "host";
}

static const char *flags_without_atime(char *options) {
  static char kept[512];
  kept[0] = 0;
  for (char *flag = strtok(options, ","); flag; flag = strtok(NULL, ",")) {
    if (strstr(flag, "atime")) continue;
    if (kept[0]) strcat(kept, ",");
    strcat(kept, flag);
  }
  return kept;
}

static void probe_mount(const char *point, char *options, const char *type) {
  static char seen[64][512];
  static int count;
  char path[PATH_MAX + 16], said[512];
  struct stat status;
  snprintf(path, sizeof path, "%s/.probe", point);
  const int folder = stat(point, &status) == 0 && S_ISDIR(status.st_mode);
  const int fd = folder ? open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600) : open(point, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  const char *made = outcome(fd);
  if (fd >= 0) close(fd);
  if (fd >= 0 && folder) unlink(path);
  const char *remount = outcome(mount(NULL, point, NULL, MS_REMOUNT | MS_BIND, NULL));
  snprintf(said, sizeof said, "%.200s, %s %s, remount %s, umount %s", flags_without_atime(options), folder ? "file made" : "opened to write", made, remount,
           outcome(umount2(point, MNT_DETACH)));
  if (strcmp(kind_of(type), "host")) {
    row("mount", point, "%s %s", type, said);
    return;
  }
  for (int i = 0; i < count; i++)
    if (!strcmp(seen[i], said)) return;
  if (count < 64) strcpy(seen[count++], said);
  row("mount", folder ? "a folder of the host" : "a file of the host", "%s", said);
}

static void probe_mounts(void) {
  FILE *table = fopen("/proc/self/mountinfo", "r");
  if (!table) {
    row("mount", "table", "%s", errno_name(errno));
    return;
  }
  static char line[4 * PATH_MAX], point[PATH_MAX], options[512], type[64];
  while (fgets(line, sizeof line, table)) {
    const char *dash = strstr(line, " - ");
    if (!dash || sscanf(line, "%*s %*s %*s %*s %4095s %511s", point, options) != 2 || sscanf(dash, " - %63s", type) != 1) continue;
    probe_mount(point, options, type);
  }
  fclose(table);
}

static const char *const PLACES[] = {"/sys", "/sys/fs/cgroup", "/sys/kernel", "/sys/firmware", "/proc/sys", "/proc/sysrq-trigger", "/proc/kcore", "/dev/mem", "/dev/kmsg",
  "/dev/pts", "/dev/console", "/dev/tty0", "/dev/fuse", "/dev/kvm", "/dev/net/tun", "/dev/loop-control", "/dev/mqueue", "/dev/shm", "/dev/random",
  "/run", "/var", "/root", "/home", "/etc/shadow", "/etc/passwd", "/opt", "/srv", "/mnt", "/boot", "/tmp", "/var/tmp", "/w", "/usr", "/bin/sh", "/etc/hostname", "/etc/machine-id"};

static void probe_places(void) {
  for (unsigned i = 0; i < COUNT(PLACES); i++) row("place", PLACES[i], "read %s, write %s", read_outcome(PLACES[i]), write_outcome(PLACES[i]));
  char *names[256];
  int count = names_of("/dev", names, 256);
  for (int i = 0; i < count; i++) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "/dev/%s", names[i]);
    /* Reading from a terminal or from standard input waits for whoever is at the other end. */
    const int waits = !strncmp(names[i], "tty", 3) || !strncmp(names[i], "std", 3) || !strcmp(names[i], "ptmx");
    row("device", path, "read %s, write %s", waits ? "not tried" : read_outcome(path), write_outcome(path));
  }
}
