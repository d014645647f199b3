#include "../helper/scheduling.h"

#include "test.h"

namespace sbx::test {
namespace {

TEST(
    "a program's slice and its first half end just before a tick, at every rate of ticks that kernels have") {
  for (const uint64_t hz : {100, 250, 300, 500, 1000}) {
    const uint64_t tick = 1'000'000'000 / hz;
    for (const uint64_t slice : {ProgramSliceNs(tick), ProgramSliceNs(tick) / 2}) {
      const uint64_t missing = (slice / tick + 1) * tick - slice;
      EXPECT(missing >= 100'000 && missing <= 200'000);
    }
    EXPECT(ProgramSliceNs(tick) >= 6'000'000 && ProgramSliceNs(tick) <= 20'000'000);
  }
  EXPECT_EQ(ProgramSliceNs(0), ProgramSliceNs(4'000'000));  // a tick that is not told
}

}  // namespace
}  // namespace sbx::test
