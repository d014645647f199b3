/*
 * ipc-objects leave|look: leaves System V and POSIX objects under known names, or looks for them; `look` also
 * counts what there is in all.
 */
#include <mqueue.h>
#include <semaphore.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include "attack.h"
enum { KEY = 0x5b5b };
static int leave(void) {
  char *at = shmat(shmget(KEY, 4096, IPC_CREAT | 0666), NULL, 0);
  if (at == (void *)-1) die("shmget");
  strcpy(at, "secret");
  if (semget(KEY, 1, IPC_CREAT | 0666) < 0) die("semget");
  int queue = msgget(KEY, IPC_CREAT | 0666);
  struct {
    long type;
    char text[8];
  } message = {1, "secret"};
  if (msgsnd(queue, &message, sizeof message.text, 0) != 0) die("msgsnd");
  sem_open("/sbx-attack", O_CREAT, 0666, 1);
  (void)!shm_open("/sbx-attack", O_CREAT | O_RDWR, 0666);
  if (mq_open("/sbx-attack", O_CREAT | O_RDWR, 0666, NULL) < 0) printf("mq_open: %s\n", errno_name(errno));
  return done();
}
int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "leave")) return leave();
  tried("shared memory", shmget(KEY, 0, 0));
  tried("semaphores", semget(KEY, 0, 0));
  tried("messages", msgget(KEY, 0));
  tried("POSIX semaphore", sem_open("/sbx-attack", 0) == SEM_FAILED ? -1 : 0);
  tried("POSIX shared memory", shm_open("/sbx-attack", O_RDWR, 0));
  tried("POSIX messages", mq_open("/sbx-attack", O_RDWR));
  struct shm_info shm;
  struct seminfo sem;
  struct msginfo msg;
  if (shmctl(0, SHM_INFO, (struct shmid_ds *)&shm) >= 0 && shm.used_ids) got("shm ids");
  if (semctl(0, 0, SEM_INFO, &sem) >= 0 && sem.semusz) got("sem ids");
  if (msgctl(0, MSG_INFO, (struct msqid_ds *)&msg) >= 0 && msg.msgpool) got("msg ids");
  return done();
}
