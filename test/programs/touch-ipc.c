/* touch-ipc [shm|sem|msg|queue][+]…: prints its IPC namespace, then makes each and prints its number or why not; without "+" it removes it at once. */
#include <fcntl.h>
#include <mqueue.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include "common.h"

static int make(const char *kind) {
  if (!strncmp(kind, "shm", 3)) return shmget(IPC_PRIVATE, 4096, 0600);
  if (!strncmp(kind, "sem", 3)) return semget(IPC_PRIVATE, 1, 0600);
  if (!strncmp(kind, "msg", 3)) return msgget(IPC_PRIVATE, 0600);
  return mq_open("/queue", O_CREAT | O_RDWR, 0600, NULL);
}

static void drop(const char *kind, int id) {
  if (!strncmp(kind, "shm", 3)) shmctl(id, IPC_RMID, NULL);
  else if (!strncmp(kind, "sem", 3)) semctl(id, 0, IPC_RMID);
  else if (!strncmp(kind, "msg", 3)) msgctl(id, IPC_RMID, NULL);
  else mq_unlink("/queue");
}

int main(int argc, char **argv) {
  char name[64] = "";
  if (readlink("/proc/self/ns/ipc", name, sizeof name - 1) < 0) return 1;
  puts(name);
  for (int i = 1; i < argc; i++) {
    int id = make(argv[i]);
    if (id < 0) printf("%s: %s\n", argv[i], errno_name(errno));
    else printf("%s: %d\n", argv[i], id);
    if (id >= 0 && strchr(argv[i], '+') == NULL) drop(argv[i], id);
  }
  return 0;
}
