// How init is heard among the programs of its sandbox, with which it shares a group of the CPU scheduler.
//
// Of all that are due the kernel (6.6 and later) runs whose virtual deadline comes first: the time it became
// due at, and its slice. Init that wakes is due at once and has the shortest slice, so it comes before every
// thread that has waited for less than its own slice. Threads that spin are interrupted by the tick alone.
// With slices that do not end just before a tick they run longer than those, the others wait longer than
// theirs, and with dozens of threads init would be 10 to 140 ms late. A new thread has half a slice first:
// the slice is an even number of ticks, less what keeps it before the last of them.
#pragma once

#include "../common/launch_key.h"
#include "../common/sys.h"

namespace sbx {

constexpr uint64_t kInitSliceNs = 100'000;  // the shortest that there is
// Beside the host's: for kernels before 6.12, where slices cannot be chosen.
constexpr int kInitNice = -10;

constexpr uint64_t ProgramSliceNs(uint64_t tickNs) {
  constexpr uint64_t kHalfNs = 4'000'000, kBeforeTickNs = 100'000;
  const uint64_t tick = tickNs == 0 ? kHalfNs : tickNs;
  const uint64_t ticks = tick > kHalfNs ? 1 : kHalfNs / tick;
  return 2 * (ticks * tick - kBeforeTickNs);
}

// `key`: lets the start of a program past its own filter.
[[nodiscard]] inline int SetNiceAndSlice(int pid, int nice, uint64_t sliceNs, const LaunchKey& key = {}) {
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t sliceNs, deadlineNs, periodNs;
  } const attributes = {sizeof(attributes), 0, 8 /* SCHED_FLAG_KEEP_POLICY */, nice, 0, sliceNs, 0, 0};
  const int set = (int)sys::Call(SYS_sched_setattr, pid, &attributes, 0, key.first(), key.second());
  return set < 0 ? sys::SetNice(pid, nice) : set;  // a host in a real-time class
}

}  // namespace sbx
