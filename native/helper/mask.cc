#include "mask.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/statfs.h>

#include "../common/fd.h"
#include "template.h"

namespace sbx {
namespace {

constexpr uint64_t kCoverInodes = 1;
constexpr unsigned kMoveToPlace = 0x40;  // MOVE_MOUNT_T_EMPTY_PATH

int EmptyFolder() {
  const TmpfsOptions options = {4096, kCoverInodes, "0555", 0,
      MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC};
  return MountTmpfs(nullptr, options);
}

int OpenMasked(int root, const char* path) {
  struct open_how how = {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return sys::Open2(root, path, &how);
}

bool IsNothing(int error) { return error == -ENOENT || error == -ENOTDIR; }

bool IsCover(int place) {
  constexpr unsigned kNullMajor = 1, kNullMinor = 3;
  struct stat status = {};
  if (sys::Call(SYS_fstat, place, &status) < 0) return false;
  if (S_ISCHR(status.st_mode)) return status.st_rdev == (kNullMajor << 8 | kNullMinor);
  struct statfs system = {};
  return S_ISDIR(status.st_mode) && sys::Call(SYS_fstatfs, place, &system) >= 0 &&
         system.f_type == TMPFS_MAGIC && system.f_files == kCoverInodes;
}

// `work(row, path, place, root)` for each mask; `place` is negative where nothing can be opened.
template <class Work>
Failure ForEachMask(const Template& plan, Work work) {
  const Fd root(OpenPlace("/"));
  for (unsigned i = 0; i < plan.rowCount; ++i) {
    if (plan.rows[i].kind != MountKind::kMask) continue;
    const char* path = plan.strings + plan.rows[i].target;
    const Fd place(OpenMasked(root.get(), path));
    SBX_TRY(FailIf(Stage::k_mask, work(i, path, place.get(), root.get()), i));
  }
  return {};
}

}  // namespace

int CoverPath(int root, const char* path) {
  Fd place(OpenMasked(root, path));
  if (IsNothing(place.get())) return 0;
  if (!place) return place.release();
  struct stat status = {};
  if (const long got = sys::Call(SYS_fstat, place.get(), &status); got < 0) return (int)got;
  // Of the root's own null device, which PlaceDevice has made or checked (CVE-2025-31133).
  Fd cover(S_ISDIR(status.st_mode) ? EmptyFolder() : sys::OpenTree(root, "dev/null", OPEN_TREE_CLONE));
  if (!cover) return cover.release();
  return (int)sys::Call(
      SYS_move_mount, cover.get(), "", place.get(), "", MOVE_MOUNT_F_EMPTY_PATH | kMoveToPlace);
}

Failure CoverAgain(const Template& plan, Masks& masks) {
  return ForEachMask(plan, [&](unsigned row, const char* path, int place, int root) {
    if (IsNothing(place)) return 0;
    if (place < 0) return place;
    masks.covered[row / 64] |= 1ULL << row % 64;
    return IsCover(place) ? 0 : CoverPath(root, path);
  });
}

Failure CheckCovers(const Template& plan, const Masks& masks) {
  uint64_t any = 0;
  for (const uint64_t word : masks.covered) any |= word;
  if (any == 0) return {};
  return ForEachMask(plan, [&](unsigned row, const char*, int place, int) {
    if ((masks.covered[row / 64] >> row % 64 & 1) == 0 || IsNothing(place) || IsCover(place)) return 0;
    return place < 0 ? place : -EXDEV;
  });
}

}  // namespace sbx
