// Whose files are made.
#pragma once

#include "../common/sys.h"

namespace sbx {

// What is made below is made as this host id, so that the file belongs to the sandbox's user. The thread's file system
// ids change for the length of one call; -1 leaves them (rootless: we are that user).
class FileIdentity {
 public:
  explicit FileIdentity(int64_t owner) : active_(owner >= 0) {
    if (!active_) return;
    gid_ = RawSyscall(SYS_setfsgid, owner);
    uid_ = RawSyscall(SYS_setfsuid, owner);
  }
  ~FileIdentity() {
    if (!active_) return;
    (void)RawSyscall(SYS_setfsuid, uid_);
    (void)RawSyscall(SYS_setfsgid, gid_);
  }
  FileIdentity(const FileIdentity&) = delete;
  FileIdentity& operator=(const FileIdentity&) = delete;

 private:
  bool active_;
  long uid_ = 0, gid_ = 0;
};

}  // namespace sbx
