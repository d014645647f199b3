// Init's steps, in order, from its clone to "ready". The order matters:
//   1. cgroup namespace   after birth inside the sandbox's groups, so that they look like the root
//   2. network            only when loopback was asked for; else the keeper's empty one serves
//   3. mounts             while we still may
//   4. undumpable         before any program exists that could look at us
//   5. filter             last: it forbids most of the above; every program inherits it
#include "setup.h"

#include <errno.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <signal.h>
#include <sys/ioctl.h>

#include "../plan/seccomp.h"
#include "text.h"

namespace sbx {
namespace {

constexpr unsigned kPrivate = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

Failure BringLoopbackUp() {
  SBX_TRY(FailIf(Stage::k_network, sys::Unshare(CLONE_NEWNET), 1));
  Fd socket((int)sys::Call(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  SBX_TRY(FailIf(Stage::k_loopback, socket.get()));
  struct ifreq request = {};
  __builtin_memcpy(request.ifr_name, "lo", 3);
  request.ifr_flags = IFF_UP;
  return FailIf(Stage::k_loopback, sys::Ioctl(socket.get(), SIOCSIFFLAGS, (long)&request), 1);
}

Failure MountProc() {
  Fd context(sys::FsOpen("proc"));
  SBX_TRY(FailIf(Stage::k_proc, context.get(), 2));
  SBX_TRY(FailIf(Stage::k_proc, sys::FsConfigString(context.get(), "subset", "pid"), 3));
  SBX_TRY(FailIf(Stage::k_proc, sys::FsConfigString(context.get(), "hidepid", "ptraceable"), 4));
  SBX_TRY(FailIf(Stage::k_proc, sys::FsConfigCreate(context.get()), 5));
  Fd tree(sys::FsMount(context.get(), kPrivate | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_RDONLY));
  SBX_TRY(FailIf(Stage::k_proc, tree.get(), 6));
  return FailIf(Stage::k_proc, sys::MoveMount(tree.get(), AT_FDCWD, "/proc"), 7);
}

Failure MountPts() {
  Fd context(sys::FsOpen("devpts"));
  SBX_TRY(FailIf(Stage::k_pts, context.get()));
  constexpr const char* kSettings[][2] = {{"mode", "0620"}, {"ptmxmode", "0666"}, {"max", "64"}};
  for (const auto& setting : kSettings) SBX_TRY(FailIf(Stage::k_pts, sys::FsConfigString(context.get(), setting[0], setting[1]), 1));
  SBX_TRY(FailIf(Stage::k_pts, sys::FsConfigCreate(context.get()), 2));
  Fd tree(sys::FsMount(context.get(), MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
  SBX_TRY(FailIf(Stage::k_pts, tree.get(), 3));
  return FailIf(Stage::k_pts, sys::MoveMount(tree.get(), AT_FDCWD, "/dev/pts"), 4);
}

Failure MountPrivateTrees(const Helper& helper, const PrepareRecord& request, Fd& workspace) {
  const Template& plan = helper.plan;
  workspace.reset(MountTmpfs(plan.workDir, {request.diskBytes, request.diskFileCount, "0755", plan.insideUid, kPrivate}));
  SBX_TRY(FailIf(Stage::k_workspace, workspace.get()));
  const TmpfsOptions temporary = {request.diskBytes, request.diskFileCount, "1777", plan.insideUid, kPrivate};
  SBX_TRY(FailIf(Stage::k_scratch, Fd(MountTmpfs("/tmp", temporary)).get()));
  TmpfsOptions shared = temporary;
  shared.attributes |= MOUNT_ATTR_NOEXEC;
  SBX_TRY(FailIf(Stage::k_scratch, Fd(MountTmpfs("/dev/shm", shared)).get(), 1));
  for (unsigned i = 0; i < plan.rowCount; ++i) {
    const MountRow& row = plan.rows[i];
    if (row.kind != MountKind::kTmpfs) continue;
    Text<16> mode;
    mode << "0" << (uint64_t)(row.mode >> 6 & 7) << (uint64_t)(row.mode >> 3 & 7) << (uint64_t)(row.mode & 7);
    Text<4096> target;
    target << "/" << plan.strings + row.target;
    if (!target.ok()) return {Stage::k_scratch, (uint16_t)(i + 2), ENAMETOOLONG};
    SBX_TRY(FailIf(Stage::k_scratch, Fd(MountTmpfs(target.text(), {row.sizeBytes, row.inodeCount, mode.text(), plan.insideUid, kPrivate})).get(), i + 2));
  }
  return {};
}

// When memory runs out, programs go first, init last: it stands at 1000 while it clones one, which inherits that, and goes
// back to where it was. Both are allowed to everybody. The file is reached through the engine's /proc, the sandbox's own
// being read-only; and only a dumpable process may write its own.
Failure OpenOomScore(const Template& plan, Fd& score) {
  SBX_TRY(FailIf(Stage::k_identity, sys::Prctl(PR_SET_DUMPABLE, 1), 10));
  score.reset(sys::Open(plan.procFd, "self/oom_score_adj", O_WRONLY));
  SBX_TRY(FailIf(Stage::k_identity, score.get(), 11));
  sys::Close(plan.procFd);
  return FailIf(Stage::k_identity, sys::Write(score.get(), "1000", 4), 12);
}

Failure LoadFilter(const PrepareRecord& request) {
  static Filter filter;
  CompileFilter(request.seccompProfile, request.seccompKill != 0, filter);
  const struct sock_fprog program = {(unsigned short)filter.length, filter.code};
  return FailIf(Stage::k_seccomp, sys::Seccomp(SECCOMP_SET_MODE_FILTER, 0, &program));
}

}  // namespace

Failure SetUpSandbox(const Helper& helper, const PrepareRecord& request, SandboxSetup& setup) {
  SBX_TRY(FailIf(Stage::k_cgroupNamespace, sys::Unshare(CLONE_NEWCGROUP)));
  if (request.loopback != 0) SBX_TRY(BringLoopbackUp());
  SBX_TRY(MountPrivateTrees(helper, request, setup.workspace));
  SBX_TRY(MountProc());
  if (request.terminal != 0) SBX_TRY(MountPts());
  setup.null.reset(sys::Open(AT_FDCWD, "/dev/null", O_RDWR));
  SBX_TRY(FailIf(Stage::k_device, setup.null.get(), 100));
  setup.signals.reset(sys::SignalFd(1ULL << (SIGCHLD - 1)));
  SBX_TRY(FailIf(Stage::k_ready, setup.signals.get(), 1));
  SBX_TRY(OpenOomScore(helper.plan, setup.oomScore));
  SBX_TRY(FailIf(Stage::k_capabilities, sys::Prctl(PR_SET_DUMPABLE, 0), 200));
  return LoadFilter(request);
}

}  // namespace sbx
