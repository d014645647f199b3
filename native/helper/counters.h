// Reading and writing cgroup files through descriptors that the host opened. The formats of v1 and v2 are
// told apart by what is in the file, so nothing here knows the version.
#pragma once

#include "zygote.h"

namespace sbx {

// A small file, in a static buffer: one thread, one file at a time. nullptr when it is empty or not there.
const char* ReadText(int fd);
// The number that a text begins with; kUnknown for no text, no number, or one beyond 64 bits.
uint64_t ParseNumber(const char* text);
// What follows `key` at the start of a line; nullptr where no line starts so.
const char* FindText(const char* text, const char* key);
// The number that follows it at once; kUnknown as above.
uint64_t FindNumber(const char* text, const char* key);

// kUnknown where there is no file or no number.
uint64_t ReadCpuNs(const Counters& counters);
uint64_t ReadNumber(const Counters& counters, Counter counter);
// What became of a group's memory. Each kUnknown as above.
struct MemoryEvents {
  uint64_t oomKills;   // processes that the kernel killed; with v2 not those in groups below
  uint64_t timesFull;  // something had to be dropped, or somebody killed; v1 does not tell
};
MemoryEvents ReadMemoryEvents(const Counters& counters);
// Caches charged now that the kernel would drop rather than let a program run out of memory: pages of files,
// shared memory left out, and names and inodes. v1 has no figure for the latter: they are what is neither
// pages nor `heldBefore`, so of dead programs alone. 0 when unknown.
uint64_t ReadCaches(const Counters& counters, uint64_t heldBefore);
// Its memory has been at its bound, as near as the kernel tells. False when unknown.
bool HasMetBound(const Counters& counters);
int WriteCounter(const Counters& counters, Counter counter, const char* text);

// Process ids that a sweep passes over.
struct Spared {
  int pids[kProgramsMax];
  unsigned count = 0;
};

// Sends `signal` to every process listed in the group but init, those outside our pid namespace, and the
// spared ones; returns how many. `proc`: our own /proc where it is attached nowhere; -1: it is in its place.
unsigned SignalGroup(const Counters& counters, int signal, const Spared& spared, int proc);

}  // namespace sbx
