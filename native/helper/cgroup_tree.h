#pragma once

namespace sbx {

// Removes a folder of cgroups and those below it; its processes must be dead. Waits up to a second for the
// kernel to see that, since a group stays busy for some milliseconds after its last process was reaped.
void RemoveCgroupTree(int parent, const char* name);

}  // namespace sbx
