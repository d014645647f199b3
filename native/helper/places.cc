#include "places.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <sys/statfs.h>

#include "../common/sys.h"

namespace sbx {
namespace {

constexpr unsigned kLinksMax = 40;  // as the kernel follows

int OpenBeneath(int folder, const char* path, uint64_t flags) {
  struct open_how how = {};
  how.flags = O_PATH | O_CLOEXEC | flags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  return sys::Open2(folder, path, &how);
}

bool Look(int place, struct statx& status) {
  return sys::StatX(place, "", AT_EMPTY_PATH, STATX_INO | STATX_TYPE | kStatxMntId, &status) >= 0;
}

// What lies in the root's own file system was made by us, and what is read-only by the host.
bool IsWritable(int root, int place) {
  struct statx ofRoot = {}, here = {};
  struct statfs system = {};
  if (!Look(root, ofRoot) || !Look(place, here)) return true;
  if (MountOf(here) == MountOf(ofRoot)) return false;
  constexpr long kReadOnly = 1;  // ST_RDONLY
  return sys::Call(SYS_fstatfs, place, &system) < 0 || (system.f_flags & kReadOnly) == 0;
}

// Takes over `folder`. Together with what the host has mounted below.
int Pin(int root, int folder) {
  constexpr uint64_t kMountRoot = 0x2000;  // STATX_ATTR_MOUNT_ROOT, Linux 5.8
  Fd place(folder);
  struct statx status = {};
  if (!Look(folder, status)) return -EIO;
  if ((status.stx_attributes & kMountRoot) != 0 || !IsWritable(root, folder)) return place.release();
  Fd tree(sys::OpenTree(folder, "", OPEN_TREE_CLONE | AT_RECURSIVE | AT_EMPTY_PATH));
  if (!tree) return tree.release();
  const int moved = sys::MoveMountOnto(tree.get(), folder);
  return moved < 0 ? moved : tree.release();
}

// Takes the next name of `path` and the slashes behind it.
Text<256> TakeName(const char*& path) {
  Text<256> name;
  for (; *path != '\0' && *path != '/'; ++path) {
    const char one[2] = {*path, '\0'};
    name << one;
  }
  while (*path == '/') ++path;
  return name;
}

// Walks to the folder of the last component; `enter` opens a name in a folder, or gives an error.
template <class Enter>
int WalkToParent(int root, const char* path, const char*& last, Enter enter) {
  Fd folder(sys::Open(root, ".", O_PATH | O_DIRECTORY));
  while (*path == '/') ++path;
  for (;;) {
    last = path;
    const auto name = TakeName(path);
    if (*path == '\0' || !folder) return folder.release();
    if (!name.ok()) return -ENAMETOOLONG;
    folder.reset(enter(folder.get(), name.text()));
  }
}

// What is left of a path to walk, and how far it has come. The path so far has no link in it.
struct Walk {
  char rest[2][4096];
  unsigned at = 0;
  char real[4096];
  size_t realSize = 0;
  bool byLinkOfPrograms = false;

  bool Append(const char* name) {
    const size_t size = Length(name);
    if (realSize + 1 + size >= sizeof(real)) return false;
    if (realSize > 0) real[realSize++] = '/';
    __builtin_memcpy(real + realSize, name, size + 1);
    realSize += size;
    return true;
  }
  void CutLast() {
    while (realSize > 0 && real[--realSize] != '/') {}
    real[realSize] = '\0';
  }
  // What the link says, and behind it what was left to walk.
  int Follow(int link, const char* left) {
    char* next = rest[at ^ 1];
    const long size = sys::Call(SYS_readlinkat, link, "", next, sizeof(rest[0]));
    const size_t leftSize = Length(left);
    if (size < 0) return (int)size;
    if ((size_t)size + 1 + leftSize >= sizeof(rest[0])) return -ENAMETOOLONG;
    next[size] = '/';
    __builtin_memcpy(next + size + 1, left, leftSize + 1);
    at ^= 1;
    return next[0] == '/';
  }
};

int WalkLinks(int root, const char* path, Walk& walk) {
  const size_t size = Length(path);
  if (size >= sizeof(walk.rest[0])) return -ENAMETOOLONG;
  __builtin_memcpy(walk.rest[0], path, size + 1);
  walk.real[0] = '\0';
  const char* left = walk.rest[0];
  for (unsigned links = 0;;) {
    while (*left == '/') ++left;
    if (*left == '\0') return 0;
    const auto name = TakeName(left);
    if (!name.ok()) return -ENAMETOOLONG;
    if (Equal(name.text(), ".")) continue;
    if (Equal(name.text(), "..")) {
      walk.CutLast();
      continue;
    }
    if (!walk.Append(name.text())) return -ENAMETOOLONG;
    const Fd place(OpenBeneath(root, walk.real, O_NOFOLLOW));
    if (!place) return place.get();
    struct statx status = {};
    if (!Look(place.get(), status)) return -EIO;
    if (!S_ISLNK(status.stx_mode)) continue;
    if (++links > kLinksMax) return -ELOOP;
    walk.byLinkOfPrograms = walk.byLinkOfPrograms || IsWritable(root, place.get());
    const int absolute = walk.Follow(place.get(), left);
    if (absolute < 0) return absolute;
    left = walk.rest[walk.at];
    if (absolute != 0) walk.realSize = 0, walk.real[0] = '\0';
    else walk.CutLast();
  }
}

}  // namespace

// The field after the numbers of the device, which the headers of musl (1.2.5) do not name.
uint64_t MountOf(const struct statx& place) {
  uint64_t id = 0;
  __builtin_memcpy(&id,
      reinterpret_cast<const char*>(&place) + offsetof(struct statx, stx_dev_minor) +
          sizeof(place.stx_dev_minor),
      sizeof(id));
  return id;
}

int OpenPlace(const char* path) {
  struct open_how how = {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return sys::Open2(AT_FDCWD, path, &how);
}

int OpenParent(int root, const char* path, const char*& last) {
  return WalkToParent(root, path, last, [](int folder, const char* name) {
    const int made = sys::MkdirAt(folder, name, 0755);
    if (made < 0 && made != -EEXIST && made != -EROFS) return made;
    return OpenBeneath(folder, name, O_DIRECTORY);
  });
}

int OpenPinnedParent(int root, const char* path, const char*& last) {
  return WalkToParent(root, path, last, [root](int folder, const char* name) {
    const int opened = OpenBeneath(folder, name, O_DIRECTORY);
    return opened < 0 ? opened : Pin(root, opened);
  });
}

int OpenThroughLinks(int root, const char* path, RootPath& real) {
  const int straight = OpenBeneath(root, path, 0);
  if (straight != -ELOOP) {
    real << path;
    return straight;
  }
  Walk walk;
  const int walked = WalkLinks(root, path, walk);
  if (walked < 0) return walk.byLinkOfPrograms ? -ENOENT : walked;
  real << walk.real;
  Fd place(OpenBeneath(root, walk.real, 0));
  if (!place) return place.release();
  return walk.byLinkOfPrograms && !IsWritable(root, place.get()) ? -EXDEV : place.release();
}

}  // namespace sbx
