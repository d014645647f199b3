#include "mask.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/statfs.h>

#include "../common/fd.h"
#include "places.h"

namespace sbx {
namespace {

constexpr uint64_t kCoverInodes = 1;

int EmptyFolder() {
  const TmpfsOptions options = {4096, kCoverInodes, "0555", 0,
      MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC};
  return MountTmpfs(nullptr, options);
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

// `work(row, path, place, root)` for each mask; `place` is negative where nothing can be opened. What a link
// of a program's leads to by now has a name that is not masked.
template <class Work>
Failure ForEachMask(const Template& plan, Work work) {
  const Fd root(OpenPlace("/"));
  for (unsigned i = 0; i < plan.rowCount; ++i) {
    if (plan.rows[i].kind != MountKind::kMask) continue;
    RootPath real;
    const Fd place(OpenThroughLinks(root.get(), plan.strings + plan.rows[i].target, real));
    const int found = place.get() == -EXDEV ? -ENOENT : place.get();
    SBX_TRY(FailIf(Stage::k_mask, work(i, real.text(), found, root.get()), i));
  }
  return {};
}

// Here `real` has no link in it, and gets none any more: its folders are pinned first.
int Cover(int root, const char* real) {
  const char* last;
  const Fd parent(OpenPinnedParent(root, real, last));
  if (!parent) return parent.get();
  const Fd place(sys::Open(parent.get(), last, O_PATH | O_NOFOLLOW));
  if (!place) return place.get();
  struct stat status = {};
  if (const long got = sys::Call(SYS_fstat, place.get(), &status); got < 0) return (int)got;
  if (S_ISLNK(status.st_mode)) return -ELOOP;
  // Of the root's own null device, which PlaceDevice has made or checked (CVE-2025-31133).
  const Fd cover(S_ISDIR(status.st_mode) ? EmptyFolder() : sys::OpenTree(root, "dev/null", OPEN_TREE_CLONE));
  return cover ? sys::MoveMountOnto(cover.get(), place.get()) : cover.get();
}

}  // namespace

int CoverPath(int root, const char* path) {
  RootPath real;
  const Fd place(OpenThroughLinks(root, path, real));
  if (IsNothing(place.get())) return 0;
  return place ? Cover(root, real.text()) : place.get();
}

Failure CoverAgain(const Template& plan, Masks& masks) {
  return ForEachMask(plan, [&](unsigned row, const char* path, int place, int root) {
    if (IsNothing(place)) return 0;
    if (place < 0) return place;
    masks.covered[row / 64] |= 1ULL << row % 64;
    return IsCover(place) ? 0 : Cover(root, path);
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
