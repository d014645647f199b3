#pragma once

#include "../common/fd.h"
#include "../plan/seccomp.h"
#include "mask.h"
#include "zygote.h"

namespace sbx {

// What is left of the set-up that the running sandbox needs.
struct SandboxSetup {
  // Roots of the sandbox's own file systems, for the host, and here until the first start: work folder, /tmp,
  // /dev/shm, then rows in order.
  Fd trees[kTreesMax];
  unsigned treeCount = 0;
  bool watchesMemory = false;  // nothing else bounds it: given, not found
  // A /proc of init's own that is attached nowhere, where programs have none or init watches their memory.
  Fd proc;
  Fd null;                        // the sandbox's own /dev/null
  Fd signals;                     // SIGCHLD
  Fd oomScore;                    // our own oom_score_adj
  Masks masks;                    // what of them was covered
  Fd landlock;                    // rules of the programs' domain, if they get one
  bool landlockHasFiles = false;  // and of files that a program was given
};

// What every sandbox of this engine is refused and no set-up needs: loaded by the keeper, for all its inits.
Failure LoadInheritedFilter(const Template& plan);

// What a sandbox adds to it. The keeper asks for it before it clones an init: then it is compiled once for
// many sandboxes alike, and init finds it in the memory that it inherits.
Filter& FilterFor(const Template& plan, const PrepareRecord& request);

Failure SetUpSandbox(const Helper& helper, const PrepareRecord& request, SandboxSetup& setup);

}  // namespace sbx
