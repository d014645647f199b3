#include "ipc.h"

#include <errno.h>
#include <linux/ipc.h>
#include <linux/msg.h>
#include <linux/sched.h>
#include <linux/sem.h>
#include <linux/shm.h>

#include "../common/sys.h"

namespace sbx {
namespace {

// Numbers of objects grow by one from 0 as the kernel goes round its table, so whoever makes one, even if
// only for a moment, moves ours on. Before it begins again from the start of the table (of 64 places at the
// least) the namespace is renewed.
constexpr int kNumbersMax = 60;

long Make(unsigned kind) {
  constexpr long kMine = 0600;
  switch (kind) {
    case 0: return sys::Call(SYS_shmget, IPC_PRIVATE, 1, kMine);
    case 1: return sys::Call(SYS_semget, IPC_PRIVATE, 1, kMine);
    default: return sys::Call(SYS_msgget, IPC_PRIVATE, kMine);
  }
}

long Remove(unsigned kind, long number) {
  switch (kind) {
    case 0: return sys::Call(SYS_shmctl, number, IPC_RMID, 0);
    case 1: return sys::Call(SYS_semctl, number, 0, IPC_RMID, 0);
    default: return sys::Call(SYS_msgctl, number, IPC_RMID, 0);
  }
}

// Objects that there are; negative when that is not told.
long Count(unsigned kind) {
  union {
    struct shm_info memory;
    struct seminfo semaphores;
    struct msginfo queues;
  } info = {};
  switch (kind) {
    case 0: {
      const long told = sys::Call(SYS_shmctl, 0, SHM_INFO, &info);
      return told < 0 ? told : info.memory.used_ids;
    }
    case 1: {
      const long told = sys::Call(SYS_semctl, 0, 0, SEM_INFO, &info);
      return told < 0 ? told : info.semaphores.semusz;
    }
    default: {
      const long told = sys::Call(SYS_msgctl, 0, MSG_INFO, &info);
      return told < 0 ? told : info.queues.msgpool;
    }
  }
}

// Nobody has made an object of this kind since we last looked. A kernel without them has none.
bool IsUntouched(unsigned kind, int& next) {
  const long number = Make(kind);
  if (number == -ENOSYS) return true;
  if (number < 0 || Remove(kind, number) < 0 || number != next || number >= kNumbersMax) return false;
  ++next;
  return Count(kind) == 0;
}

}  // namespace

Failure IpcNamespace::BeAsNew() { return made_ && IsAsNew() ? Failure{} : Renew(); }

bool IpcNamespace::IsAsNew() {
  for (unsigned kind = 0; kind < kKinds; ++kind)
    if (!IsUntouched(kind, next_[kind])) return false;
  return true;
}

Failure IpcNamespace::Renew() {
  made_ = false;
  SBX_TRY(FailIf(Stage::k_initClone, sys::Unshare(CLONE_NEWIPC), 1));
  made_ = true;
  for (int& next : next_) next = 0;
  return {};
}

}  // namespace sbx
