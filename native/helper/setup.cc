// Init's steps, in order, from its clone to "ready". The order matters:
//   1. network             only when loopback was asked for; else the keeper's empty one serves
//   2. the engine's /proc  used and closed: from here on nothing that leads out of the sandbox is open
//   3. cgroup namespace    after birth inside the sandbox's groups, so that they look like the root
//   4. mounts              while we still may
//   5. undumpable          before any program exists that could look at us
//   6. filter              last: it forbids most of the above; every program inherits it
#include "setup.h"

#include <errno.h>
#include <linux/prctl.h>
#include <net/if.h>
#include <signal.h>
#include <sys/ioctl.h>

#include "../common/text.h"
#include "../plan/seccomp.h"
#include "landlock.h"
#include "network.h"
#include "speculation.h"

namespace sbx {
namespace {

constexpr unsigned kPrivate = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

Failure BringLoopbackUp(const Template& plan) {
  SBX_TRY(MakeOwnNetwork(plan));
  Fd socket(sys::Socket(AF_INET, SOCK_DGRAM));
  SBX_TRY(FailIf(Stage::k_loopback, socket.get()));
  struct ifreq request = {};
  __builtin_memcpy(request.ifr_name, "lo", 3);
  request.ifr_flags = IFF_UP;
  return FailIf(Stage::k_loopback, sys::Ioctl(socket.get(), SIOCSIFFLAGS, (long)&request), 1);
}

// `hide`: processes are shown to those alone who may trace them.
Failure MakeProc(bool readOnly, bool hide, Fd& tree) {
  Fd context(sys::FsOpen("proc"));
  SBX_TRY(FailIf(Stage::k_proc, context.get(), 2));
  SBX_TRY(FailIf(Stage::k_proc, sys::FsConfigString(context.get(), "subset", "pid"), 3));
  if (hide) SBX_TRY(FailIf(Stage::k_proc, sys::FsConfigString(context.get(), "hidepid", "ptraceable"), 4));
  SBX_TRY(FailIf(Stage::k_proc, sys::FsConfigCreate(context.get()), 5));
  tree.reset(sys::FsMount(context.get(), kPrivate | MOUNT_ATTR_NOEXEC | (readOnly ? MOUNT_ATTR_RDONLY : 0)));
  return FailIf(Stage::k_proc, tree.get(), 6);
}

// Init has one of its own, which is attached nowhere: where programs have none, since it reads its groups
// anew by it (counters.h), and where it watches their memory. There it has to see all of them, also one that
// has executed what it may not read: init's rights end where that file's owner is nobody in its user
// namespace. Where programs have none an empty folder covers the place.
Failure MountProc(ProcMode mode, SandboxSetup& setup) {
  if (mode == ProcMode::kNone || setup.watchesMemory) SBX_TRY(MakeProc(true, false, setup.proc));
  if (mode != ProcMode::kNone) {
    Fd tree;
    SBX_TRY(MakeProc(mode != ProcMode::kWritable, true, tree));
    return FailIf(Stage::k_proc, AttachAt(tree.get(), "/proc"), 7);
  }
  const Fd cover(MountTmpfs("/proc", {4096, 1, "0555", 0, kPrivate | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_RDONLY}));
  return FailIf(Stage::k_proc, cover.get(), 8);
}

Failure MountPts() {
  Fd context(sys::FsOpen("devpts"));
  SBX_TRY(FailIf(Stage::k_pts, context.get()));
  constexpr const char* kSettings[][2] = {{"mode", "0666"}, {"ptmxmode", "0666"}, {"max", "64"}};
  for (const auto& setting : kSettings)
    SBX_TRY(FailIf(Stage::k_pts, sys::FsConfigString(context.get(), setting[0], setting[1]), 1));
  SBX_TRY(FailIf(Stage::k_pts, sys::FsConfigCreate(context.get()), 2));
  Fd tree(sys::FsMount(context.get(), MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
  SBX_TRY(FailIf(Stage::k_pts, tree.get(), 3));
  return FailIf(Stage::k_pts, AttachAt(tree.get(), "/dev/pts"), 4);
}

// Octal, as mount options want it.
class ModeText {
 public:
  explicit ModeText(unsigned mode) {
    for (int shift = 9; shift >= 0; shift -= 3) text_ << (uint64_t)(mode >> shift & 7);
  }
  const char* text() const { return text_.text(); }

 private:
  Text<8> text_;
};

// One of the folders that every sandbox has. A row of the mount table with its name gives it bounds and a
// mode of its own.
int MountOwnFolder(const Template& plan, const PrepareRecord& request, const char* folder, unsigned mode,
    unsigned attributes) {
  for (unsigned i = 0; i < plan.rowCount; ++i) {
    const MountRow& row = plan.rows[i];
    if (row.kind != MountKind::kTmpfs || !Equal(plan.strings + row.target, folder + 1)) continue;
    return MountTmpfs(
        folder, {row.sizeBytes, row.inodeCount, ModeText(row.mode).text(), plan.insideUid, attributes});
  }
  return MountTmpfs(
      folder, {request.diskBytes, request.diskFileCount, ModeText(mode).text(), plan.insideUid, attributes});
}

// The host reaches files through these roots, so that no name of ours is ever looked up outside. Rows beyond
// the bound are only the programs' own.
int KeepTree(SandboxSetup& setup, int tree) {
  if (tree < 0) return tree;
  if (setup.treeCount < kTreesMax) setup.trees[setup.treeCount++].reset(tree);
  else sys::Close(tree);
  return 0;
}

Failure MountPrivateTrees(const Helper& helper, const PrepareRecord& request, SandboxSetup& setup) {
  const Template& plan = helper.plan;
  SBX_TRY(FailIf(
      Stage::k_workspace, KeepTree(setup, MountOwnFolder(plan, request, plan.workDir, 0755, kPrivate))));
  SBX_TRY(FailIf(Stage::k_scratch, KeepTree(setup, MountOwnFolder(plan, request, "/tmp", 01777, kPrivate))));
  SBX_TRY(FailIf(Stage::k_scratch,
      KeepTree(setup, MountOwnFolder(plan, request, "/dev/shm", 01777, kPrivate | MOUNT_ATTR_NOEXEC)), 1));
  for (unsigned i = 0; i < plan.rowCount; ++i) {
    const MountRow& row = plan.rows[i];
    if (row.kind != MountKind::kTmpfs) continue;
    Text<4096> target;
    target << "/" << plan.strings + row.target;
    if (!target.ok()) return {Stage::k_scratch, (uint16_t)(i + 2), ENAMETOOLONG};
    if (Equal(target.text(), plan.workDir) || Equal(target.text(), "/tmp") ||
        Equal(target.text(), "/dev/shm"))
      continue;
    const int tree = MountTmpfs(
        target.text(), {row.sizeBytes, row.inodeCount, ModeText(row.mode).text(), plan.insideUid, kPrivate});
    SBX_TRY(FailIf(Stage::k_scratch, KeepTree(setup, tree), i + 2));
  }
  return {};
}

// For LaunchProgram, which moves init to 1000 and back; both are allowed to everybody. The file is reached
// through the engine's /proc, the sandbox's own being read-only; and only a dumpable process may write its
// own.
Failure OpenOomScore(const Template& plan, Fd& score) {
  SBX_TRY(FailIf(Stage::k_identity, sys::Prctl(PR_SET_DUMPABLE, 1), 10));
  score.reset(sys::Open(plan.procFd, "self/oom_score_adj", O_WRONLY));
  SBX_TRY(FailIf(Stage::k_identity, score.get(), 11));
  sys::Close(plan.procFd);
  return FailIf(Stage::k_identity, sys::Write(score.get(), "1000", 4), 12);
}

Failure Load(Filter& filter, const LaunchKey& key) {
  return FailIf(Stage::k_seccomp, LoadFilter({(unsigned short)filter.length, filter.code}, key));
}

// Nothing of another sandbox, nor of the host, runs on the other hyper-thread of a core while this one does.
// What is born here inherits the cookie.
Failure TakeCoreSchedulingCookie() {
  constexpr int kSchedCore = 62, kCreate = 1;  // PR_SCHED_CORE, PR_SCHED_CORE_CREATE
  return FailIf(Stage::k_coreScheduling, sys::Prctl(kSchedCore, kCreate));
}

bool HasWritableRows(const Template& plan) {
  for (unsigned i = 0; i < plan.rowCount; ++i)
    if (plan.rows[i].kind == MountKind::kBind && (plan.rows[i].flags & kMountWritable) != 0) return true;
  return false;
}

}  // namespace

// Of several filters the strictest answer counts: over the inherited one a whole one does all that it does
// alone.
Filter& FilterFor(const Template& plan, const PrepareRecord& request) {
  static Filter filter;  // of length 0 before the first is compiled
  static FilterOptions compiled;
  const auto asked = [&](uint32_t flag) { return (request.flags & flag) != 0; };
  FilterOptions wanted = {asked(kPrepareStrict) ? SeccompProfile::kStrict : SeccompProfile::kDefault,
      asked(kPrepareSeccompKill), plan.ignoreSignalsToInit, plan.launchKey, asked(kPrepareLoopback)};
  if (wanted.profile == SeccompProfile::kDefault && !wanted.kill) wanted.part = FilterPart::kAfterSetUp;
  wanted.writableRows = HasWritableRows(plan);
  wanted.allowed = plan.allowedCalls;
  const bool same = wanted.profile == compiled.profile && wanted.kill == compiled.kill &&
                    wanted.interfaces == compiled.interfaces;
  if (!same || filter.length == 0) CompileFilter(wanted, filter);
  compiled = wanted;
  return filter;
}

Failure LoadInheritedFilter(const Template& plan) {
  static Filter filter;
  CompileFilter({SeccompProfile::kDefault, false, plan.ignoreSignalsToInit, plan.launchKey, false,
                    FilterPart::kInherited, HasWritableRows(plan), plan.allowedCalls},
      filter);
  return Load(filter, plan.launchKey);
}

Failure SetUpSandbox(const Helper& helper, const PrepareRecord& request, SandboxSetup& setup) {
  if ((request.flags & kPrepareLoopback) != 0) SBX_TRY(BringLoopbackUp(helper.plan));
  SBX_TRY(OpenOomScore(helper.plan, setup.oomScore));
  if (helper.plan.coreScheduling) SBX_TRY(TakeCoreSchedulingCookie());
  SBX_TRY(FailIf(Stage::k_cgroupNamespace, sys::Unshare(CLONE_NEWCGROUP)));
  SBX_TRY(MountPrivateTrees(helper, request, setup));
  SBX_TRY(CoverAgain(helper.plan, setup.masks));
  SBX_TRY(MountProc(helper.plan.proc, setup));
  if ((request.flags & kPrepareTerminal) != 0) SBX_TRY(MountPts());
  setup.null.reset(sys::Open(AT_FDCWD, "/dev/null", O_RDWR));
  SBX_TRY(FailIf(Stage::k_device, setup.null.get(), 100));
  setup.signals.reset(sys::SignalFd(1ULL << (SIGCHLD - 1)));
  SBX_TRY(FailIf(Stage::k_ready, setup.signals.get(), 1));
  SBX_TRY(FailIf(Stage::k_capabilities, sys::Prctl(PR_SET_DUMPABLE, 0), 200));
  if (helper.plan.landlockAbi != 0) SBX_TRY(MakeLandlockRules(helper.plan, setup.landlock));
  if ((request.flags & kPrepareStrict) != 0) ForbidSpeculation();
  return Load(FilterFor(helper.plan, request), helper.plan.launchKey);
}

}  // namespace sbx
