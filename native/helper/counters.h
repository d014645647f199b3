// Reading and writing cgroup files through descriptors that the host opened. The formats of v1 and v2 are told apart by
// what is in the file, so nothing here knows the version.
#pragma once

#include "zygote.h"

namespace sbx {

// The number that a text begins with; kUnknown for no text, no number, or one beyond 64 bits.
uint64_t ParseNumber(const char* text);

// kUnknown where there is no file or no number.
uint64_t ReadCpuNs(const Counters& counters);
uint64_t ReadNumber(const Counters& counters, Counter counter);
uint64_t ReadOomKills(const Counters& counters);
// Page cache charged now, shared memory left out; 0 when unknown.
uint64_t ReadFileCache(const Counters& counters);
int WriteCounter(const Counters& counters, Counter counter, const char* text);

// Process ids that a sweep passes over.
struct Spared {
  int pids[kProgramsMax];
  unsigned count = 0;
};

// Sends `signal` to every process listed in the group but init, those outside our pid namespace, and the spared ones;
// returns how many.
unsigned SignalGroup(const Counters& counters, int signal, const Spared& spared);

}  // namespace sbx
