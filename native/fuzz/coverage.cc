#include "coverage.h"

#include <stdint.h>
#include <string.h>

namespace sbx::fuzz {
namespace {

constexpr size_t kPlaces = 1 << 16;

alignas(8) uint8_t gTimes[kPlaces];  // of the running input
alignas(8) uint8_t gKnown[kPlaces];  // a bit for each magnitude
uintptr_t gBefore = 0;

// 1, 2, 3, 4–7, 8–15, 16–31, 32–127, more.
uint8_t MagnitudeOf(uint8_t times) {
  if (times <= 3) return (uint8_t)(1 << times >> 1);
  if (times < 8) return 8;
  if (times < 16) return 16;
  if (times < 32) return 32;
  return times < 128 ? 64 : 128;
}

}  // namespace

void StartCoverage() {
  memset(gTimes, 0, sizeof(gTimes));
  gBefore = 0;
}

bool FinishCoverage() {
  bool isNew = false;
  for (size_t at = 0; at < kPlaces; at += 8) {
    uint64_t eight;
    memcpy(&eight, gTimes + at, sizeof(eight));
    if (eight == 0) continue;
    for (size_t place = at; place < at + 8; ++place) {
      const uint8_t magnitude = gTimes[place] == 0 ? 0 : MagnitudeOf(gTimes[place]);
      isNew |= (magnitude & ~gKnown[place]) != 0;
      gKnown[place] |= magnitude;
    }
  }
  return isNew;
}

void ForgetCoverage() { memset(gKnown, 0, sizeof(gKnown)); }

size_t CountReached() {
  size_t count = 0;
  for (const uint8_t known : gKnown) count += known != 0;
  return count;
}

}  // namespace sbx::fuzz

// Called by the compiler's instrumentation at each branch.
extern "C" void __sanitizer_cov_trace_pc() {
  using namespace sbx::fuzz;
  const auto here = (uintptr_t)__builtin_return_address(0);
  const size_t place = (here * 0x9E3779B97F4A7C15u >> 48 ^ gBefore) % kPlaces;
  gBefore = (here * 0x9E3779B97F4A7C15u >> 49);
  if (gTimes[place] < 255) ++gTimes[place];
}
