// The second wall around files: a Landlock domain for programs.
#pragma once

#include "../common/fd.h"
#include "template.h"

namespace sbx {

// Makes the rules for a sandbox whose mounts are all in place: reading and executing everywhere, writing where the sandbox has
// something of its own. Programs enter with EnterLandlockInChild.
Failure MakeLandlockRules(const Template& plan, Fd& rules);

Failure EnterLandlockInChild(int rules);

}  // namespace sbx
