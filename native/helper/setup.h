#pragma once

#include "../common/fd.h"
#include "zygote.h"

namespace sbx {

// What is left of the set-up that the running sandbox needs.
struct SandboxSetup {
  Fd workspace;  // root of the work folder's mount; the host gets it
  Fd null;       // the sandbox's own /dev/null
  Fd signals;    // SIGCHLD
  Fd oomScore;   // our own oom_score_adj
};

Failure SetUpSandbox(const Helper& helper, const PrepareRecord& request, SandboxSetup& setup);

}  // namespace sbx
