#include "mask.h"

#include <errno.h>

#include "../common/fd.h"
#include "template.h"

namespace sbx {
namespace {

constexpr unsigned kMoveToPlace = 0x40;  // MOVE_MOUNT_T_EMPTY_PATH

int EmptyFolder() {
  const TmpfsOptions options = {
      4096, 1, "0555", 0, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC};
  return MountTmpfs(nullptr, options);
}

}  // namespace

int CoverPath(int root, const char* path) {
  struct open_how how = {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  Fd place(sys::Open2(root, path, &how));
  if (place.get() == -ENOENT || place.get() == -ENOTDIR) return 0;
  if (!place) return place.release();
  struct stat status = {};
  if (const long got = sys::Call(SYS_fstat, place.get(), &status); got < 0) return (int)got;
  // Of the root's own null device, which PlaceDevice has made or checked (CVE-2025-31133).
  Fd cover(S_ISDIR(status.st_mode) ? EmptyFolder() : sys::OpenTree(root, "dev/null", OPEN_TREE_CLONE));
  if (!cover) return cover.release();
  return (int)sys::Call(
      SYS_move_mount, cover.get(), "", place.get(), "", MOVE_MOUNT_F_EMPTY_PATH | kMoveToPlace);
}

}  // namespace sbx
