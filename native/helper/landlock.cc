// The mounts say the same already: all is read-only but what is named here. Landlock says it of paths, in
// other code of the kernel, so that a mount that should not be there, or is writable by a mistake, opens
// nothing. Programs are bound, init is not.
#include "landlock.h"

#include <errno.h>

#include "../common/text.h"
#include "launch.h"
#include "places.h"

namespace sbx {
namespace {

// Debian 12's headers end with ABI 2; the numbers are the kernel's on every architecture.
constexpr int kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr int kPathBeneath = 1;
constexpr uint64_t kExecute = 1 << 0, kWriteFile = 1 << 1, kReadFile = 1 << 2, kReadDir = 1 << 3;
constexpr uint64_t kRefer = 1 << 13, kTruncate = 1 << 14, kDeviceIoctl = 1 << 15;
constexpr uint64_t kReading = kExecute | kReadFile | kReadDir;

struct Beneath {
  uint64_t allowed;
  int32_t folder;
} __attribute__((packed));

// Every right that this kernel can hold back. Renaming between folders came with ABI 2, without which no
// domain is made.
uint64_t AllRights(unsigned abi) {
  uint64_t rights = (kRefer << 1) - 1;
  if (abi >= 3) rights |= kTruncate;
  if (abi >= 5) rights |= kDeviceIoctl;
  return rights;
}

int Allow(int rules, const char* path, uint64_t rights) {
  Fd folder(OpenPlace(path));
  if (!folder) return folder.release();
  struct stat status = {};
  if (const long got = sys::Call(SYS_fstat, folder.get(), &status); got < 0) return (int)got;
  // Rights over folders mean nothing to a file, and the kernel refuses them there.
  const uint64_t ofFiles = kExecute | kWriteFile | kReadFile | kTruncate | kDeviceIoctl;
  const Beneath rule = {S_ISDIR(status.st_mode) ? rights : rights & ofFiles, folder.get()};
  return (int)sys::Call(kAddRule, rules, kPathBeneath, &rule, 0);
}

bool IsOwn(const MountRow& row) {
  return row.kind == MountKind::kTmpfs || (row.kind == MountKind::kBind && (row.flags & kMountWritable) != 0);
}

}  // namespace

Failure MakeLandlockRules(const Template& plan, Fd& rules) {
  const uint64_t all = AllRights(plan.landlockAbi);
  Fd made((int)sys::Call(kCreateRuleset, &all, sizeof(all), 0));
  SBX_TRY(FailIf(Stage::k_landlock, made.get()));
  SBX_TRY(FailIf(Stage::k_landlock, Allow(made.get(), "/", kReading), 1));
  SBX_TRY(
      FailIf(Stage::k_landlock, Allow(made.get(), "/dev", (kWriteFile | kTruncate | kDeviceIoctl) & all), 2));
  if (plan.proc == ProcMode::kWritable)
    SBX_TRY(FailIf(Stage::k_landlock, Allow(made.get(), "/proc", (kWriteFile | kTruncate) & all), 3));
  const char* const folders[] = {plan.workDir, "/tmp", "/dev/shm"};
  for (const char* folder : folders) SBX_TRY(FailIf(Stage::k_landlock, Allow(made.get(), folder, all), 4));
  for (unsigned i = 0; i < plan.rowCount; ++i) {
    if (!IsOwn(plan.rows[i])) continue;
    Text<4096> target;
    target << "/" << plan.strings + plan.rows[i].target;
    if (!target.ok()) return {Stage::k_landlock, 5, ENAMETOOLONG};
    SBX_TRY(FailIf(Stage::k_landlock, Allow(made.get(), target.text(), all), 5));
  }
  rules = static_cast<Fd&&>(made);
  return {};
}

bool AllowFilesOf(const Launch& launch, const Template& plan, int rules) {
  constexpr uint8_t kNotSent = kFdNull | kFdOutput | kFdContent;  // of the sandbox's own, or memory
  const uint64_t writing = (kWriteFile | kTruncate | kDeviceIoctl) & AllRights(plan.landlockAbi);
  bool any = false;
  for (unsigned i = 0; i < launch.record->fdCount; ++i) {
    if ((launch.record->fds[i].flags & kNotSent) != 0) continue;
    const int file = launch.fds[i].get(), flags = sys::Fcntl(file, F_GETFL, 0);
    if (flags < 0 || (flags & O_PATH) != 0) continue;
    const int access = flags & O_ACCMODE;
    const Beneath rule = {(access != O_WRONLY ? kReadFile : 0) | (access != O_RDONLY ? writing : 0), file};
    // The kernel refuses those of pipes, sockets and memory, which no domain holds back.
    any = sys::Call(kAddRule, rules, kPathBeneath, &rule, 0) >= 0 || any;
  }
  return any;
}

Failure EnterLandlockInChild(int rules, unsigned abi) {
  if (rules < 0) return {};
  // What is refused to the program, and to domains that it makes itself, is not told to the host's audit log.
  constexpr unsigned kFirstWithLog = 7, kNotOfProgram = 1, kNotOfOwnDomains = 4;
  const unsigned flags = abi >= kFirstWithLog ? kNotOfProgram | kNotOfOwnDomains : 0;
  return FailIf(Stage::k_landlock, sys::Call(kRestrictSelf, rules, flags), 7);
}

}  // namespace sbx
