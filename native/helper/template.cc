// Order and reasons. Sources are cloned by descriptor (open_tree) while the host's tree is still in view; the
// new root is attached before it is filled, because moving mounts onto a detached tree fails on some kernels;
// targets are walked component by component without following links, so that no row can reach outside;
// attributes are in force before a mount can be seen; the old root goes last.

#include "template.h"

#include <errno.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "../common/fd.h"
#include "../common/text.h"
#include "mask.h"
#include "places.h"

namespace sbx {
namespace {

// Exists on every machine; the new root is attached there for a moment.
constexpr char kScratchPoint[] = "/proc";

struct Device {
  const char* path;
  unsigned major, minor;
};
constexpr Device kDevices[] = {{"dev/null", 1, 3}, {"dev/zero", 1, 5}, {"dev/full", 1, 7},
    {"dev/random", 1, 8}, {"dev/urandom", 1, 9}, {"dev/tty", 5, 0}};

struct Link {
  const char* to;
  const char* path;
};
constexpr Link kLinks[] = {{"/proc/self/fd", "dev/fd"}, {"/proc/self/fd/0", "dev/stdin"},
    {"/proc/self/fd/1", "dev/stdout"}, {"/proc/self/fd/2", "dev/stderr"}, {"pts/ptmx", "dev/ptmx"}};

constexpr const char* kFolders[] = {"dev", "dev/shm", "dev/pts", "proc", "tmp"};

int MakeFolder(int root, const char* path, mode_t mode) {
  const char* last;
  Fd parent(OpenParent(root, path, last));
  if (!parent) return parent.release();
  const int made = sys::MkdirAt(parent.get(), last, mode);
  return made == -EEXIST || made == -EROFS ? 0 : made;
}

// For a file to be mounted on, whatever is there already.
int MakeFilePoint(int root, const char* path) {
  const char* last;
  const Fd parent(OpenParent(root, path, last));
  if (!parent) return parent.get();
  const int made = sys::MknodAt(parent.get(), last, S_IFREG | 0644, 0);
  return made == -EEXIST || made == -EROFS || made == -EACCES ? 0 : made;
}

// In a folder of the host that programs can write to, they may have left anything: a pipe there has no reader
// (ENXIO), or one of theirs.
int MakeFile(int root, const char* path, const char* text, mode_t mode) {
  const char* last;
  const Fd parent(OpenParent(root, path, last));
  if (!parent) return parent.get();
  const Fd file(sys::Open(parent.get(), last, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode));
  if (!file) return file.get() == -EROFS ? 0 : file.get();
  struct stat status = {};
  if (const long got = sys::Call(SYS_fstat, file.get(), &status); got < 0) return (int)got;
  if (!S_ISREG(status.st_mode)) return -EEXIST;
  if (const long cut = sys::Call(SYS_ftruncate, file.get(), 0); cut < 0) return (int)cut;
  return (int)sys::Write(file.get(), text, Length(text));
}

int MoveOnto(int tree, int root, const char* path) {
  const char* last;
  const Fd parent(OpenPinnedParent(root, path, last));
  return parent ? sys::MoveMount(tree, parent.get(), last) : parent.get();
}

// A folder that each sandbox mounts something on.
int MakeFolderPoint(int root, const char* path, mode_t mode) {
  if (const int made = MakeFolder(root, path, mode); made < 0) return made;
  const char* last;
  const Fd parent(OpenPinnedParent(root, path, last));
  return parent ? 0 : parent.get();
}

int CloneSource(const char* source, bool recursive) {
  const unsigned flags = OPEN_TREE_CLONE | (recursive ? AT_RECURSIVE : 0u);
  return sys::OpenTree(AT_FDCWD, source, flags);
}

// Whether programs can write to the folder that a source lies in, by another row: then links on the way are
// theirs.
bool LiesInWritable(const Template& plan, const char* source) {
  for (unsigned i = 0; i < plan.rowCount; ++i) {
    const MountRow& row = plan.rows[i];
    const char* folder = plan.strings + row.source;
    if (row.kind == MountKind::kBind && (row.flags & kMountWritable) != 0 && StartsWith(source, folder) &&
        source[Length(folder)] == '/')
      return true;
  }
  return false;
}

int CloneRow(const Template& plan, const MountRow& row) {
  const char* source = plan.strings + row.source;
  // Rootless, a tree with locked mounts below can only be cloned whole.
  const bool recursive = plan.rootless || (row.flags & kMountRecursive) != 0;
  if (!LiesInWritable(plan, source)) return CloneSource(source, recursive);
  const Fd place(OpenPlace(source));
  if (!place) return place.get();
  return sys::OpenTree(place.get(), "", OPEN_TREE_CLONE | AT_EMPTY_PATH | (recursive ? AT_RECURSIVE : 0u));
}

int SealTree(int tree, uint32_t flags) {
  struct mount_attr attributes = {};
  attributes.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  if (!(flags & kMountWritable)) attributes.attr_set |= MOUNT_ATTR_RDONLY;
  if (flags & kMountNoExec) attributes.attr_set |= MOUNT_ATTR_NOEXEC;
  attributes.propagation = MS_PRIVATE;
  return sys::MountSetAttr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes);
}

// Device nodes: made where we may, bound from the host where we may not (rootless). A bound one is checked to
// be the device it claims (CVE-2025-31133).
int PlaceDevice(int root, const Device& device, int hostTree) {
  const unsigned number = device.major << 8 | device.minor;
  if (hostTree < 0) {
    const int made = sys::MknodAt(root, device.path, S_IFCHR | 0666, number);
    return made < 0 ? made : sys::FchmodAt(root, device.path, 0666);
  }
  struct stat status = {};
  if (const long got = sys::Call(SYS_fstat, hostTree, &status); got < 0) return (int)got;
  if (!S_ISCHR(status.st_mode) || status.st_rdev != number) return -ENODEV;
  const int made = MakeFilePoint(root, device.path);
  return made < 0 ? made : MoveOnto(hostTree, root, device.path);
}

// Descriptors cloned from the host's tree before it goes out of view.
struct Sources {
  Fd rows[kMountRowsMax];
  Fd devices[sizeof(kDevices) / sizeof(kDevices[0])];
};

Failure CloneSources(const Template& plan, Sources& sources) {
  for (unsigned i = 0; i < plan.rowCount; ++i) {
    const MountRow& row = plan.rows[i];
    if (row.kind != MountKind::kBind) continue;
    const int tree = CloneRow(plan, row);
    SBX_TRY(FailIf(Stage::k_mountRow, tree, i));
    sources.rows[i].reset(tree);
    SBX_TRY(FailIf(Stage::k_mountRow, SealTree(tree, row.flags), i));
  }
  if (!plan.rootless) return {};
  for (unsigned i = 0; i < sizeof(kDevices) / sizeof(kDevices[0]); ++i) {
    Text<32> path;
    path << "/" << kDevices[i].path;
    const int tree = CloneSource(path.text(), false);
    SBX_TRY(FailIf(Stage::k_device, tree, i));
    sources.devices[i].reset(tree);
    struct mount_attr attributes = {};
    attributes.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;
    SBX_TRY(FailIf(Stage::k_device, sys::MountSetAttr(tree, "", AT_EMPTY_PATH, &attributes), i + 10));
  }
  return {};
}

int ApplyRow(int root, const Template& plan, const MountRow& row, int tree) {
  const char* target = plan.strings + row.target;
  const char* source = plan.strings + row.source;
  switch (row.kind) {
    case MountKind::kBind: {
      const int made =
          (row.flags & kMountIsFile) ? MakeFilePoint(root, target) : MakeFolder(root, target, 0755);
      return made < 0 ? made : MoveOnto(tree, root, target);
    }
    case MountKind::kFile: return MakeFile(root, target, source, row.mode);
    case MountKind::kSymlink: {
      const char* last;
      Fd parent(OpenParent(root, target, last));
      if (!parent) return parent.release();
      return sys::SymlinkAt(source, parent.get(), last);
    }
    case MountKind::kDir: return MakeFolder(root, target, row.mode);
    case MountKind::kTmpfs: return MakeFolderPoint(root, target, row.mode);  // mounted in each sandbox
    case MountKind::kMask: return CoverPath(root, target);
  }
  return -EINVAL;
}

Failure Fill(int root, const Template& plan, Sources& sources) {
  for (const char* folder : kFolders) SBX_TRY(FailIf(Stage::k_root, MakeFolder(root, folder, 0755)));
  SBX_TRY(FailIf(Stage::k_root, MakeFolder(root, plan.workDir, 0755)));
  for (unsigned i = 0; i < sizeof(kDevices) / sizeof(kDevices[0]); ++i)
    SBX_TRY(FailIf(Stage::k_device, PlaceDevice(root, kDevices[i], sources.devices[i].get()), i));
  for (const Link& link : kLinks) SBX_TRY(FailIf(Stage::k_root, sys::SymlinkAt(link.to, root, link.path)));
  for (unsigned i = 0; i < plan.rowCount; ++i)
    SBX_TRY(FailIf(Stage::k_mountRow, ApplyRow(root, plan, plan.rows[i], sources.rows[i].get()), i));
  return {};
}

// Kernels that refuse a new /proc in a user namespace unless a whole one is in view get one to be covered:
// the engine's own. Asked by trying, in a child with the namespaces of a sandbox, once the host's /proc is
// out of view.
bool NeedsVisibleProc() {
  struct clone_args args = {};
  args.flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID;
  args.exit_signal = SIGCHLD;
  const long pid = sys::Clone3(&args);
  if (pid < 0) return true;
  if (pid == 0) {
    Fd context(sys::FsOpen("proc"));
    const bool fine = sys::FsConfigString(context.get(), "subset", "pid") == 0 &&
                      sys::FsConfigCreate(context.get()) == 0 && sys::FsMount(context.get(), 0) >= 0;
    sys::Exit(fine ? 0 : 1);
  }
  siginfo_t info = {};
  if (sys::WaitId(P_PID, (int)pid, &info, WEXITED, nullptr) < 0) return true;
  return info.si_status != 0;
}

Failure Pivot(int root) {
  SBX_TRY(FailIf(Stage::k_pivot, sys::Fchdir(root)));
  SBX_TRY(FailIf(Stage::k_pivot, sys::PivotRoot(".", "."), 1));
  SBX_TRY(FailIf(Stage::k_pivot, sys::Umount2(".", MNT_DETACH), 2));
  SBX_TRY(FailIf(Stage::k_pivot, sys::Chdir("/"), 3));
  return {};
}

}  // namespace

int AttachAt(int tree, const char* path) {
  Fd place(OpenPlace(path));
  return place ? sys::MoveMountOnto(tree, place.get()) : place.release();
}

int MountTmpfs(const char* target, const TmpfsOptions& options) {
  Fd context(sys::FsOpen("tmpfs"));
  if (!context) return context.release();
  struct Setting {
    const char* key;
    uint64_t value;
  };
  const Setting settings[] = {{"size", options.sizeBytes}, {"nr_inodes", options.inodeCount},
      {"uid", options.owner}, {"gid", options.owner}};
  for (const Setting& setting : settings)
    if (const int set = sys::FsConfigString(context.get(), setting.key, Decimal(setting.value).text());
        set < 0)
      return set;
  if (const int set = sys::FsConfigString(context.get(), "mode", options.mode); set < 0) return set;
  if (const int made = sys::FsConfigCreate(context.get()); made < 0) return made;
  const int mounted = sys::FsMount(context.get(), options.attributes);
  if (mounted < 0 || target == nullptr) return mounted;
  Fd tree(mounted);
  if (const int moved = AttachAt(mounted, target); moved < 0) return moved;
  return tree.release();
}

Failure EnterTemplate(Template& plan) {
  SBX_TRY(FailIf(Stage::k_privateMounts, sys::Mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr)));
  Sources sources;
  SBX_TRY(CloneSources(plan, sources));

  Fd procContext(sys::FsOpen("proc"));
  SBX_TRY(FailIf(Stage::k_proc, sys::FsConfigCreate(procContext.get())));
  plan.procFd = sys::FsMount(procContext.get(), MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
  SBX_TRY(FailIf(Stage::k_proc, plan.procFd));

  // No NODEV: the device nodes are in it. It ends read-only and nothing of the request is ever put there.
  const TmpfsOptions options = {16 << 20, 4096, "0755", 0, MOUNT_ATTR_NOSUID};
  Fd tree(MountTmpfs(kScratchPoint, options));
  SBX_TRY(FailIf(Stage::k_root, tree.get()));
  Fd root(sys::Open(AT_FDCWD, kScratchPoint, O_PATH | O_DIRECTORY));
  SBX_TRY(FailIf(Stage::k_root, root.get()));
  SBX_TRY(Fill(root.get(), plan, sources));
  SBX_TRY(Pivot(root.get()));
  if (NeedsVisibleProc()) SBX_TRY(FailIf(Stage::k_proc, sys::MoveMount(plan.procFd, AT_FDCWD, "/proc"), 1));
  struct mount_attr readOnly = {};
  readOnly.attr_set = MOUNT_ATTR_RDONLY;
  return FailIf(Stage::k_root, sys::MountSetAttr(AT_FDCWD, "/", 0, &readOnly), 1);
}

}  // namespace sbx
