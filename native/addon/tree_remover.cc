#include "tree_remover.h"

#include <errno.h>
#include <sys/vfs.h>

#include "../common/folder.h"
#include "file_identity.h"

namespace sbx {
namespace {

// Of a file system that does not bound its files, and does not count them: time for a million where nobody
// interferes.
constexpr int64_t kFilesUnbounded = 1 << 17;

bool IsNotEmpty(int error) { return error == -ENOTEMPTY || error == -EEXIST; }

int RemoveName(int folder, const char* name) {
  const int removed = sys::UnlinkAt(folder, name, 0);
  return removed == -EISDIR || removed == -EPERM ? sys::UnlinkAt(folder, name, AT_REMOVEDIR) : removed;
}

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

// By a descriptor that only names it, since a program may put a link in its place at any time.
void OpenUp(int at, const char* name) {
  const Fd folder(sys::Open(at, name, O_PATH | kFolder));
  const std::string path = "/proc/self/fd/" + std::to_string(folder.get());
  if (folder) (void)sys::Call(SYS_fchmodat, AT_FDCWD, path.c_str(), 0700);
}

// A folder that a program may have shut; if it was not the program's, the next step tells.
int OpenShut(int at, const char* name) {
  const int folder = sys::Open(at, name, kFolder);
  if (folder >= 0) (void)RawSyscall(SYS_fchmod, folder, 0700);
  if (folder != -EACCES) return folder;
  OpenUp(at, name);
  return sys::Open(at, name, kFolder);
}

// Somebody has removed the folder, or put something else in its place.
bool IsGone(int opened) { return opened == -ENOENT || opened == -ENOTDIR || opened == -ELOOP; }

int64_t FilesIn(int folder) {
  struct statfs system = {};
  if (sys::Call(SYS_fstatfs, folder, &system) < 0 || system.f_files == 0) return kFilesUnbounded;
  return (int64_t)(system.f_files - system.f_ffree);
}

}  // namespace

int TreeRemover::Run(const std::string& name) {
  endsAt_ = Clock::now() + time_.base + time_.perFile * FilesIn(parent_.get());
  for (bool begun = false;; begun = true) {
    const int removed = RemoveName(parent_.get(), name.c_str());
    if (begun && removed == -ENOENT) return 0;
    if (!IsNotEmpty(removed)) return removed;
    if (IsOver()) return -ENOTEMPTY;
    top_.reset(OpenShut(parent_.get(), name.c_str()));
    if (IsGone(top_.get())) continue;
    if (!top_) return top_.release();
    if (const int taken = TakeAll(top_.get()); taken < 0) return taken;
  }
}

int TreeRemover::TakeAll(int folder) {
  return ForEachEntry<16384>(folder, [&](const sys::FolderEntry& entry) { return Take(folder, entry.name); });
}

// Takes a name out of the folder that is to go, or out of one in it.
int TreeRemover::Take(int folder, const char* name) {
  if (name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'))) return 0;
  if (IsOver()) return -ENOTEMPTY;
  const int removed = RemoveName(folder, name);
  if (!IsNotEmpty(removed)) return removed == -ENOENT ? 0 : removed;
  return folder == top_.get() ? Clear(name) : MoveUp(folder, name);
}

// Empties a folder in the one that is to go. One that is not empty after that is met again.
int TreeRemover::Clear(const char* name) {
  Fd folder(OpenShut(top_.get(), name));
  if (IsGone(folder.get())) return 0;
  if (!folder) return folder.release();
  if (const int taken = TakeAll(folder.get()); taken < 0) return taken;
  const int removed = sys::UnlinkAt(top_.get(), name, AT_REMOVEDIR);
  return removed == -ENOENT || removed == -ENOTDIR || IsNotEmpty(removed) ? 0 : removed;
}

// The names are ours, but a program may have taken some of them: those are passed over.
int TreeRemover::MoveUp(int folder, const char* name) {
  constexpr unsigned kNoReplace = 1;  // RENAME_NOREPLACE
  // To be moved it must be open to its owner: its `..` is written.
  const Fd moving(OpenShut(folder, name));
  while (!IsOver()) {
    const std::string moved = ".sbx-removed-" + std::to_string(next_++);
    const long renamed = AsOwner(owner_,
        [&] { return sys::Call(SYS_renameat2, folder, name, top_.get(), moved.c_str(), kNoReplace); });
    if (renamed != -EEXIST) return renamed == -ENOENT ? 0 : (int)renamed;
  }
  return -ENOTEMPTY;
}

}  // namespace sbx
