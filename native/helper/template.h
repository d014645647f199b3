// The tree that every sandbox of an engine sees, made once by the zygote.
#pragma once

#include "../common/launch_key.h"
#include "failure.h"

namespace sbx {

// What later steps need of the template message; strings live as long as the process.
struct Template {
  bool rootless;
  bool ignoreSignalsToInit;
  bool coreScheduling;
  LaunchKey launchKey;    // drawn by the zygote
  uint32_t allowedCalls;  // kAllow…: what programs may do beyond the default filter
  unsigned landlockAbi;   // 0: no domain
  ProcMode proc;
  uint32_t insideUid;       // the program's user and group, as it sees them
  uint32_t umask;           // the program's
  uint32_t ignoredSignals;  // the program's, at its start; bit n - 1 is signal n
  const char* workDir;      // absolute
  const char* hostname;
  const char* domainname;
  const MountRow* rows;
  unsigned rowCount;
  const struct sock_filter* policy;  // the caller's filter, for programs alone
  unsigned policyLength;
  const char* strings;  // base of the rows' offsets
  int procFd;           // /proc of the engine's processes, attached nowhere

  // Init's user as the sandbox sees it: another than the program's, which may be 0. Rootless there is only
  // one.
  uint32_t initUid() const { return rootless ? insideUid : insideUid == 0 ? 1 : 0; }
};

// Builds the tree, enters it and drops the old one. On return "/" is the template, read-only.
Failure EnterTemplate(Template& plan);

// Mounts a fresh tmpfs on `target`. 0 means no limit for size and count.
struct TmpfsOptions {
  uint64_t sizeBytes, inodeCount;
  const char* mode;
  uint32_t owner;
  unsigned attributes;  // MOUNT_ATTR_…
};
// Attaches a detached mount there.
int AttachAt(int tree, const char* path);

// Returns the mount's descriptor or a negative error number.
int MountTmpfs(const char* target, const TmpfsOptions& options);

}  // namespace sbx
