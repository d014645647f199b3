// The roles that one helper process can take, in the order in which they come to be.
#pragma once

#include "../common/fd.h"
#include "cpu_mask.h"
#include "failure.h"
#include "template.h"

namespace sbx {

constexpr int kChannel = 3;  // where the zygote finds its socket

// Shared by the roles by inheritance, never by sockets: each is a clone of the one before.
struct Helper {
  Template plan;
  char* message;  // kMessageBytesMax bytes, for whatever is being read
  int nice;       // the host's, and that of every program
  uint64_t programSliceNs;
  CpuMask cpus;  // to be taken back by init, which was born on one (kPrepareOneCpu); else not told
};

// Cgroup files of a sandbox or a program; -1 where there is none.
struct Counters {
  int fds[kCounterCount];
  bool oomEventfd;
};

// One keeper per slot: clones an init per sandbox, one at a time. Never returns.
// `sockets`: of its network (network.h).
[[noreturn]] void KeeperMain(Helper& helper, int channel, Fd sockets);

// Pid 1 of a sandbox: sets it up, reports ready on its channel, runs programs. Never returns.
[[noreturn]] void InitMain(
    Helper& helper, const PrepareRecord& request, Fd channel, const Counters& counters);

// Sends Failed; the process goes on or exits as its role wants.
void Report(int channel, const Failure& failure, uint32_t programId = 0);

}  // namespace sbx
