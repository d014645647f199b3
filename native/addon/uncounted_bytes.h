// Memory that the kernel holds for programs and that no cgroup counts: record locks, and in a network of
// their own what nobody has accepted yet, answers of NETLINK, datagrams that are being put together and what
// outlives its socket.
#pragma once

#include <stdint.h>

#include <vector>

namespace sbx {

// About so many bytes, counted until they are more than `enough`; -ENOLCK when a file has more locks of
// theirs than others can bear. `pids`: processes, by their numbers in the /proc folder `proc`. With `network`
// what is in their network namespaces, too.
int64_t UncountedBytes(int proc, const std::vector<int>& pids, bool network, uint64_t enough);

}  // namespace sbx
