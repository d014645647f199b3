// A network namespace: of a slot, for one sandbox after another, or of one sandbox.
#pragma once

#include "template.h"

namespace sbx {

// Makes one for this process, and shuts what /proc/PID/net shows: of a slot all, so that nothing is told of
// the sandbox before; of one sandbox only what is of the whole machine, since each file takes 20 µs. Where
// programs are the user that the kernel gives the files to, they could open them again: so they get another
// owner. Best done, not more: as an ordinary user the files are not ours, and a policy of the host's may
// forbid it. `plan.procFd` must be open.
Failure MakeSlotNetwork(const Template& plan);
Failure MakeOwnNetwork(const Template& plan);

}  // namespace sbx
