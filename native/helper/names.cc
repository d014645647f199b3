#include "names.h"

#include <errno.h>

#include "../common/fd.h"
#include "launch.h"
#include "places.h"

namespace sbx {
namespace {

constexpr size_t kPathBytesMax = 4096;
// The kernel gives up on `..` when anything at all was renamed or mounted on the machine meanwhile; each try
// takes microseconds.
constexpr int kRaceTries = 1000;

int OpenIn(int folder, const char* path, uint64_t flags, uint64_t resolve) {
  struct open_how how = {};
  how.flags = flags | O_PATH | O_CLOEXEC;
  how.resolve = resolve | RESOLVE_NO_MAGICLINKS;
  int opened = -EAGAIN;
  for (int tries = 0; opened == -EAGAIN && tries < kRaceTries; ++tries)
    opened = sys::Open2(folder, path, &how);
  return opened;
}

int OpenInRoot(const char* path, uint64_t flags) {
  Fd root(OpenIn(AT_FDCWD, "/", O_DIRECTORY, 0));
  return root ? OpenIn(root.get(), path, flags, RESOLVE_IN_ROOT) : root.release();
}

bool IsSamePlace(const struct statx& one, const struct statx& other) {
  return (one.stx_mask & other.stx_mask & kStatxMntId) != 0 && MountOf(one) == MountOf(other) &&
         one.stx_ino == other.stx_ino && one.stx_dev_major == other.stx_dev_major &&
         one.stx_dev_minor == other.stx_dev_minor;
}

// Whether we stand in a mount of the sandbox's own: the path by which the kernel reaches our folder from the
// root leads to the same folder of the same mount. Of a folder outside of the root the kernel says
// "(unreachable)".
bool StandsInside() {
  char path[kPathBytesMax];
  if (sys::GetCwd(path, sizeof(path)) < 0 || path[0] != '/') return false;
  const Fd folder(OpenInRoot(path, O_DIRECTORY | O_NOFOLLOW));
  struct statx here = {}, there = {};
  constexpr unsigned kMask = STATX_INO | kStatxMntId;
  if (!folder || sys::StatX(AT_FDCWD, "", AT_EMPTY_PATH, kMask, &here) < 0) return false;
  return sys::StatX(folder.get(), "", AT_EMPTY_PATH, kMask, &there) >= 0 && IsSamePlace(here, there);
}

// An absolute name in the sandbox's root, a relative one from the working folder, which has been found to lie
// there. That is no root for it: `../tool` may lead out of it.
int OpenNameInChild(const char* path) {
  return path[0] == '/' ? OpenInRoot(path, 0) : OpenIn(AT_FDCWD, path, 0, 0);
}

}  // namespace

Failure EnterFolderInChild(const char* path) {
  const Fd folder(OpenInRoot(path, O_DIRECTORY));
  SBX_TRY(FailIf(Stage::k_workingFolder, folder.get()));
  SBX_TRY(FailIf(Stage::k_workingFolder, sys::Fchdir(folder.get()), kFolderNotEntered));
  return FailIf(Stage::k_workingFolder, StandsInside() ? 0 : -EXDEV, kFolderIsOutside);
}

namespace {

// What a shell would find: no folder, and to be executed.
bool IsProgram(int file) {
  struct stat status = {};
  return sys::Call(SYS_fstat, file, &status) >= 0 && !S_ISDIR(status.st_mode) && sys::MayExecute(file) >= 0;
}

// The one that is found is the program, whatever exec says to it. None is found: an index behind the last.
Failure FindInChild(const Launch& launch) {
  unsigned i = 0;
  for (; launch.paths[i] != nullptr; ++i) {
    const Fd file(OpenNameInChild(launch.paths[i]));
    if (file && IsProgram(file.get())) {
      launch.args[0] = launch.paths[i];
      launch.paths[i + 1] = nullptr;
      break;
    }
    launch.paths[i] = "";
  }
  return {Stage::k_exec, (uint16_t)i, ENOENT};
}

}  // namespace

Failure CheckNamesInChild(const Launch& launch) {
  if ((launch.record->flags & kStartFindFirst) != 0) return FindInChild(launch);
  Failure worst = {Stage::k_exec, 0, ENOENT};
  for (unsigned i = 0; launch.paths[i] != nullptr; ++i) {
    const Fd file(OpenNameInChild(launch.paths[i]));
    if (file) continue;
    const int error = -file.get();
    launch.paths[i] = "";
    if (error == ENOENT || error == ENOTDIR) continue;
    worst = {Stage::k_exec, (uint16_t)i, error};
    if (error == EACCES) continue;
    launch.paths[i + 1] = nullptr;
    break;
  }
  return worst;
}

}  // namespace sbx
