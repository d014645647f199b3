// Small files of the sandbox's own /proc.
#pragma once

namespace sbx {

// Its text, in a static buffer: one file at a time. nullptr for a process that has gone.
const char* ReadProcFile(int folder, const char* path);

}  // namespace sbx
