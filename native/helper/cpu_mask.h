// The CPUs that a task may use, to be narrowed for a while and given back.
#pragma once

#include "../common/sys.h"

namespace sbx {

struct CpuMask {
  long bytes = 0;           // 0: not told
  uint64_t bits[128] = {};  // 8192 CPUs, the most that kernels are built for

  void Read(int pid) {
    bytes = sys::Call(SYS_sched_getaffinity, pid, sizeof(bits), bits);
    if (bytes < 0) bytes = 0;
  }
  bool Give(int pid) const { return sys::Call(SYS_sched_setaffinity, pid, bytes, bits) >= 0; }
  // One of them alone.
  bool GiveOnly(int pid, unsigned cpu) const {
    if (cpu >= (unsigned long)bytes * 8) return false;
    uint64_t one[sizeof(bits) / sizeof(*bits)] = {};
    one[cpu / 64] = 1ULL << cpu % 64;
    return sys::Call(SYS_sched_setaffinity, pid, bytes, one) >= 0;
  }
};

}  // namespace sbx
