#include "tree_remover.h"

#include <errno.h>

#include "../common/folder.h"
#include "file_identity.h"

namespace sbx {

int TreeRemover::Run(const std::string& name) {
  const int removed = Remove(name.c_str());
  return removed < 0 ? removed : RemovePending();
}

int TreeRemover::Remove(const char* name) {
  int removed = sys::UnlinkAt(top_.get(), name, 0);
  if (removed != -EISDIR && removed != -EPERM) return removed;
  for (;;) {
    removed = sys::UnlinkAt(top_.get(), name, AT_REMOVEDIR);
    if (removed != -ENOTEMPTY && removed != -EEXIST) return removed;
    if (const int emptied = Empty(name); emptied < 0) return emptied;
  }
}

// Takes everything out of folder `name`: files go, folders with content move beside it to be emptied in turn.
int TreeRemover::Empty(const char* name) {
  Fd folder(sys::Open(top_.get(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  if (folder.get() < 0) return folder.release();
  // Programs may have shut it; if it was not theirs, the next step tells.
  (void)RawSyscall(SYS_fchmod, folder.get(), 0700);
  return ForEachEntry<16384>(
      folder.get(), [&](const sys::FolderEntry& entry) { return Take(folder.get(), entry.name); });
}

int TreeRemover::Take(int folder, const char* name) {
  if (name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'))) return 0;
  int removed = sys::UnlinkAt(folder, name, 0);
  if (removed == -EISDIR || removed == -EPERM) removed = sys::UnlinkAt(folder, name, AT_REMOVEDIR);
  if (removed != -ENOTEMPTY && removed != -EEXIST) return removed == -ENOENT ? 0 : removed;
  return MoveUp(folder, name);
}

// The names are ours, but a program may have taken some of them: those are passed over.
int TreeRemover::MoveUp(int folder, const char* name) {
  constexpr unsigned kNoReplace = 1;  // RENAME_NOREPLACE
  for (;;) {
    const std::string moved = ".sbx-removed-" + std::to_string(next_++);
    const long renamed = AsOwner(owner_,
        [&] { return sys::Call(SYS_renameat2, folder, name, top_.get(), moved.c_str(), kNoReplace); });
    if (renamed == -EEXIST) continue;
    if (renamed < 0) return (int)renamed;
    pending_.push_back(moved);
    return 0;
  }
}

// The folders that were moved up; each may bring more.
int TreeRemover::RemovePending() {
  while (!pending_.empty()) {
    const std::string name = pending_.back();
    pending_.pop_back();
    if (const int removed = Remove(name.c_str()); removed < 0) return removed;
  }
  return 0;
}

}  // namespace sbx
