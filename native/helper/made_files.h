// Files that init makes for a program: inputs whose content came with the start (ContentRow), and outputs whose content goes with
// the report (OutputRow).
#pragma once

#include "../common/fd.h"
#include "launch.h"

namespace sbx {

struct Init;

// By the start's rows, open for reading.
struct Outputs {
  unsigned count = 0;
  Fd files[kOutputsMax];
  bool asFile[kOutputsMax] = {};
};

// Makes them, and gives the program's ends to `launch`.
Failure MakeFiles(Init& init, const char* message, Launch& launch);

// Tells the host of an end.
void SendEnded(Init& init, EndedRecord record);

}  // namespace sbx
