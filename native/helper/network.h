// A network namespace of a sandbox, or of all sandboxes of a slot.
#pragma once

#include "template.h"

namespace sbx {

// Makes one for this process, and shuts what /proc shows of it (/proc/PID/net): those files tell of the whole
// machine as well, how many packets its CPUs have had and how much memory its sockets. Where programs are the
// user that the kernel gives the files to, they could open them again: so they get another owner. Best done,
// not more: as an ordinary user the files are not ours, and a policy of the host's may forbid it.
// `plan.procFd` must be open.
Failure MakeNetwork(const Template& plan, unsigned step);

}  // namespace sbx
