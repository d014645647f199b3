/*
 * hello: the run after an attack. Prints "hello" when it sees a fresh world, else what is wrong: something in a folder
 * that must be empty, an IPC object, a process beside init and itself. As arguments: names that /w may hold.
 */
#include <dirent.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include "attack.h"

static int wrong;

static int allowed(const char *name, char **names) {
  for (; *names; names++)
    if (!strcmp(name, *names)) return 1;
  return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
}

static void expect_empty(const char *folder, char **names) {
  DIR *dir = opendir(folder);
  if (!dir) die(folder);
  for (struct dirent *entry; (entry = readdir(dir));)
    if (!allowed(entry->d_name, names)) wrong = printf("%s holds %s\n", folder, entry->d_name);
  closedir(dir);
}

static void expect_alone(void) {
  DIR *proc = opendir("/proc");
  if (!proc) die("/proc");
  for (struct dirent *entry; (entry = readdir(proc));) {
    int pid = atoi(entry->d_name);
    if (pid > 1 && pid != getpid()) wrong = printf("process %d is here as well\n", pid);
  }
  closedir(proc);
  if (getppid() != 1) wrong = printf("the parent is %d, not init\n", getppid());
}

static void expect_no_ipc(void) {
  struct shm_info shm;
  struct seminfo sem;
  struct msginfo msg;
  if (shmctl(0, SHM_INFO, (struct shmid_ds *)&shm) >= 0 && shm.used_ids > 0) wrong = printf("shared memory\n");
  if (semctl(0, 0, SEM_INFO, &sem) >= 0 && sem.semusz > 0) wrong = printf("semaphores\n");
  if (msgctl(0, MSG_INFO, (struct msqid_ds *)&msg) >= 0 && msg.msgpool > 0) wrong = printf("message queues\n");
}

int main(int argc, char **argv) {
  (void)argc;
  char *none[] = {NULL};
  expect_empty("/w", argv + 1);
  expect_empty("/tmp", none);
  expect_empty("/dev/shm", none);
  expect_alone();
  expect_no_ipc();
  if (!wrong) printf("hello\n");
  return wrong != 0;
}
