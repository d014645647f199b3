// The limits of a group, written just before a program starts.
#pragma once

#include "programs.h"

namespace sbx {

// Writes what the host asked for. A one-shot program's memory is bounded by what the group holds right now
// and its limit beside; when nothing is asked for, as an equal limit is in force, that bound is looked at,
// and moved when it is too low or much too high. `program` has its baseline; that of memory is taken anew
// when the group has come to hold more meanwhile.
Failure BoundGroup(
    const Counters& counters, Program& program, const StartRecord& record, const char* message);

}  // namespace sbx
