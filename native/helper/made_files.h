// Files that init makes for a program: inputs whose content came with the start (ContentRow), and outputs
// whose content goes with the report (OutputRow).
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

// A memory file on its way to a program, which gets the view.
struct Input {
  Fd file, view;
};

// Before what it holds is known, so that one can be ready for the start that brings it.
Failure MakeInput(Input& input);

// Makes them, and gives the program's ends to `launch`.
Failure MakeFiles(Init& init, const char* message, Launch& launch);

// Tells the host of an end.
void SendEnded(Init& init, EndedRecord record);

}  // namespace sbx
