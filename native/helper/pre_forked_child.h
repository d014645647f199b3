// The process that the first program of a sandbox becomes. It is made with the sandbox, so that no start
// waits for a clone, and until then it is init's other half: it shares init's memory and descriptors, waits
// for the start in its place, and makes everything ready. Then it takes descriptors of its own and executes.
//
// Not by vfork: a parent that waits in there counts as load for as long as the sandbox stands ready.
#pragma once

#include "init.h"

namespace sbx {

struct PreForkedChild {
  Init& init;
  int pid = 0;
  int running = 1;  // the kernel makes it 0 when it is about to leave our memory
  Fd left;          // at end of file when it has left it
  Fd stored;        // holds the other end, until it takes that for itself alone
  Fd timer;         // readable when init is to take over
  Heard heard = Heard::kEnd;
  Starting starting = {};
};

Failure MakePreForkedChild(PreForkedChild& child);

// Until its program runs, or has ended, or failed to start. False when the host is gone or wants the end.
bool AwaitFirstProgram(PreForkedChild& child);

}  // namespace sbx
