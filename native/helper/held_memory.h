// What the processes of a sandbox hold, as the sandbox's own /proc tells it, and its own file systems. For
// where no cgroup counts it.
#pragma once

#include <stdint.h>

#include "../common/folder.h"
#include "counters.h"

namespace sbx {

struct Init;

constexpr uint64_t Sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

struct Held {
  uint64_t privateBytes = 0, sharedBytes = 0;
  uint64_t kernelBytes = 0;  // page tables, and what the kernel has of each thread
  bool missed = false;       // somebody ended while it was looked at, who may have handed on what it held

  uint64_t bytes() const { return Sum(Sum(privateBytes, sharedBytes), kernelBytes); }
  void Add(const Held& other) {
    privateBytes = Sum(privateBytes, other.privateBytes);
    sharedBytes = Sum(sharedBytes, other.sharedBytes);
    kernelBytes = Sum(kernelBytes, other.kernelBytes);
    missed = missed || other.missed;
  }
};

// Room for one name of a process or thread, and never for two.
constexpr size_t kOneNameBytes = 40;

// Every process but init, looked at before the next is asked for. A process can hand its memory to a child
// (CLONE_VM), end, and have that one do the same, thousands of times a second. Its child has a higher number,
// so it comes later, and whoever comes last has not ended yet. In a list of many names it would have, by the
// time it is looked at.
template <class Take>
void ForEachProcess(int proc, Take take) {
  (void)ForEachEntry<kOneNameBytes>(proc, [&](const sys::FolderEntry& entry) {
    const uint64_t pid = ParseNumber(entry.name);
    if (pid > 1 && pid <= INT32_MAX) take((int)pid);
    return 0;
  });
}

// At least what the process holds: what it shares with others in full. What the kernel has noted, for which
// it goes through no pages.
Held AtMostHeldBy(int proc, int pid);

// What it shares with others in parts (smaps_rollup). A process that borrows the memory of its parent (vfork)
// is that parent, and not counted twice.
Held HeldBy(const Init& init, int proc, int pid);

// In the file systems that the sandbox has of its own, and in its System V segments, mapped or not.
uint64_t FilesBytes(const Init& init);

}  // namespace sbx
