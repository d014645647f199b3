// Memory of a sandbox that no cgroup bounds: its processes are looked at, and what holds too much is killed.
// And of one whose cgroup keeps no mark of the most that was held: that is read again and again.
#pragma once

#include <stdint.h>

namespace sbx {

struct Init;

// When to look again, and what the sandbox held before its program.
struct MemoryWatch {
  int64_t nextLookNs = 0;
  int64_t nextExactLookNs = 0;
  int64_t nextSampleNs = 0;
  // Bytes in its own file systems at the start of a one-shot program: the host's doing.
  uint64_t filesBase = 0;
};

// Before a program starts, where nothing else bounds its memory. `oneShot`: what the sandbox holds already is
// not the program's.
void BeginMemoryWatch(Init& init, bool oneShot);

// Kills programs that hold more than their limit; returns when to look again, kForeverNs where a cgroup does
// it.
int64_t WatchMemory(Init& init);

// Reads what programs hold whose cgroup keeps no mark of the most (v2 before Linux 5.19); returns when to
// read again, kForeverNs where there is a mark, or no cgroup.
int64_t SampleMemory(Init& init);

}  // namespace sbx
