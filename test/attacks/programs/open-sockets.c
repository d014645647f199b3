/*
 * open-sockets [NAME]…: sockets of families that reach past a sandbox; then the abstract sockets named, and every socket
 * that lies in a folder.
 */
#include <dirent.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "attack.h"

static void try_connect(const char *path, size_t length) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  memcpy(address.sun_path, path, length);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  char what[160];
  snprintf(what, sizeof what, "socket %s", path[0] ? path : path + 1);
  tried(what, connect(fd, (struct sockaddr *)&address, offsetof(struct sockaddr_un, sun_path) + length));
  close(fd);
}

static void walk(const char *folder, int depth) {
  DIR *dir = opendir(folder);
  if (!dir || depth > 3) return;
  for (struct dirent *entry; (entry = readdir(dir));) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (entry->d_type == DT_SOCK && strlen(path) < 100) try_connect(path, strlen(path) + 1);
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.' && strcmp(folder, "/usr")) walk(path, depth + 1);
  }
  closedir(dir);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    int family, type, protocol;
  } rows[] = {
      {"packet", AF_PACKET, SOCK_RAW, 0x300}, {"audit", AF_NETLINK, SOCK_RAW, 9},     {"alg", 38, SOCK_SEQPACKET, 0},
      {"vsock", 40, SOCK_STREAM, 0},          {"xdp", 44, SOCK_RAW, 0},               {"raw", AF_INET, SOCK_RAW, 1},
      {"raw6", AF_INET6, SOCK_RAW, 58},       {"bluetooth", 31, SOCK_RAW, 1},         {"can", 29, SOCK_RAW, 1},
      {"tipc", 30, SOCK_STREAM, 0},           {"smc", 43, SOCK_STREAM, 0},            {"key", 15, SOCK_RAW, 2},
      {"mptcp", AF_INET, SOCK_STREAM, 262},   {"sctp", AF_INET, SOCK_STREAM, 132},    {"smc over tcp", AF_INET, SOCK_STREAM, 256},
      {"udplite", AF_INET, SOCK_DGRAM, 136},  {"icmp", AF_INET, SOCK_DGRAM, 1},       {"raw unix", AF_UNIX, SOCK_RAW, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    int fd = socket(rows[i].family, rows[i].type, rows[i].protocol);
    /* Netlink sockets can be made; what needs a right is refused when asked. */
    if (fd >= 0 && rows[i].family == AF_NETLINK) {
      struct {
        int length;
        short type, flags;
        int sequence, pid;
      } get = {16, 1000, 5, 1, 0};
      (void)!send(fd, &get, sizeof get, 0);
      struct {
        int length;
        short type, flags;
        int sequence, pid, error;
      } answer = {0};
      ssize_t size = recv(fd, &answer, sizeof answer, MSG_DONTWAIT);
      errno = size > 0 ? -answer.error : errno;
      tried(rows[i].name, size > 0 && answer.error >= 0 ? 0 : -1);
    } else
      tried(rows[i].name, fd);
  }
  for (int i = 1; i < argc; i++) {
    char name[100] = {0};
    snprintf(name + 1, sizeof name - 1, "%s", argv[i]);
    try_connect(name, 1 + strlen(argv[i]));
  }
  walk("", 0);
  return done();
}
