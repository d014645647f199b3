// The tree that every sandbox of an engine sees, made once by the zygote.
#pragma once

#include "failure.h"

namespace sbx {

// What later steps need of the template message; strings live as long as the process.
struct Template {
  bool rootless;
  uint32_t insideUid;
  const char* workDir;     // absolute
  const char* hostname;
  const MountRow* rows;
  unsigned rowCount;
  const char* strings;     // base of the rows' offsets
  int procFd;              // /proc of the engine's processes, attached nowhere
};

// Builds the tree, enters it and drops the old one. On return "/" is the template, read-only.
Failure EnterTemplate(Template& plan);

// Mounts a fresh tmpfs on `target` (relative to the root). 0 means no limit for size and count.
struct TmpfsOptions {
  uint64_t sizeBytes, inodeCount;
  const char* mode;
  uint32_t owner;
  unsigned attributes;  // MOUNT_ATTR_…
};
// Returns the mount's descriptor or a negative error number.
int MountTmpfs(const char* target, const TmpfsOptions& options);

}  // namespace sbx
