// Small files of the sandbox's own /proc.
#pragma once

namespace sbx {

// Its text, in the buffer of ReadText (counters.h). nullptr for a process that has gone.
const char* ReadProcFile(int folder, const char* path);

}  // namespace sbx
