// Whose files are made.
#pragma once

#include <errno.h>
#include <stdlib.h>

#include "../common/sys.h"

namespace sbx {

// The thread's ids for files, by which the kernel decides whose a new file is. It answers a change with the
// id before, and says nothing of a refusal: asked once more with an id that nobody has, it changes nothing
// and tells what is in force.
inline bool SetFileId(long call, long id) {
  (void)!RawSyscall(call, id);
  return RawSyscall(call, -1L) == id;
}

// `act` with files made as this host id, so that they belong to the sandbox's user; -1: as we are (rootless:
// we are that user). Gives what `act` gives, or -EPERM without having called it.
template <typename Act>
[[nodiscard]] long AsOwner(int64_t owner, Act act) {
  if (owner < 0) return act();
  const long group = RawSyscall(SYS_setfsgid, -1L), user = RawSyscall(SYS_setfsuid, -1L);
  const bool isOwner = SetFileId(SYS_setfsgid, (long)owner) && SetFileId(SYS_setfsuid, (long)owner);
  const long result = isOwner ? (long)act() : -EPERM;
  // To ids of our own the kernel lets us back; a thread of the host that stays another user must not go on.
  if (!SetFileId(SYS_setfsuid, user) || !SetFileId(SYS_setfsgid, group)) abort();
  return result;
}

}  // namespace sbx
