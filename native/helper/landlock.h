// The second wall around files: a Landlock domain for programs.
#pragma once

#include "../common/fd.h"
#include "template.h"

namespace sbx {

// Makes the rules for a sandbox whose mounts are all in place: reading and executing everywhere, writing
// where the sandbox has something of its own. Programs enter with EnterLandlockInChild.
Failure MakeLandlockRules(const Template& plan, Fd& rules);

// What a program is given besides (a file of the host to read, one to write to) it may open again by
// /dev/stdin and its like, for as much as it was given. True when there was any such file.
struct Launch;
bool AllowFilesOf(const Launch& launch, const Template& plan, int rules);

Failure EnterLandlockInChild(int rules, unsigned abi);

}  // namespace sbx
