// What the CPU may guess on behalf of programs.
#pragma once

#include "../common/sys.h"

namespace sbx {

// For this process and all that it starts, for good: no loads before older stores whose addresses are not
// known yet, by which code in one process reads what another part of it should not give away; and no guesses
// of indirect branches from what others have run on the core. Where the CPU needs neither, or the kernel
// leaves no choice (an error each), it is as good as it gets.
inline void ForbidSpeculation() {
  constexpr int kSetSpeculationControl = 53;  // PR_SET_SPECULATION_CTRL
  constexpr unsigned long kStoreBypass = 0, kIndirectBranch = 1, kForceDisable = 8;
  for (unsigned long what = kStoreBypass; what <= kIndirectBranch; ++what)
    (void)sys::Prctl(kSetSpeculationControl, what, kForceDisable);
}

}  // namespace sbx
