// Small files of the sandbox's own /proc.
#pragma once

namespace sbx {

// Its text, in the buffer of ReadText (counters.h). nullptr for a process that has gone.
const char* ReadProcFile(int folder, const char* path);

// What the line of a process says behind its name, which may hold anything: a space, its state, the number of
// its parent. nullptr as above.
const char* ReadStat(int proc, int pid);

}  // namespace sbx
