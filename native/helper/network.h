// A network namespace: of a slot, for one sandbox after another, or of one sandbox.
#pragma once

#include "../common/fd.h"
#include "template.h"

namespace sbx {

// Makes one for this process, and shuts what /proc/PID/net shows: of a slot all, so that nothing is told of
// the sandbox before; of one sandbox only what is of the whole machine, since each file takes 20 µs. Where
// programs are the user that the kernel gives the files to, they could open them again: so they get another
// owner. Best done, not more: as an ordinary user the files are not ours, and a policy of the host's may
// forbid it. `plan.procFd` must be open.
// `sockets` is the list of unix sockets there, for `IsUnused`.
Failure MakeSlotNetwork(const Template& plan, Fd& sockets);

// Sockets that wait in each other's queues outlive whoever had them, with their names, ports and files, until
// the kernel looks for such rings. It begins to when a socket is closed.
void CollectSockets();

// Whether no socket is left of the sandbox before. Whatever else is left waits in a unix one.
bool IsUnused(const Fd& sockets);

Failure MakeOwnNetwork(const Template& plan);

}  // namespace sbx
