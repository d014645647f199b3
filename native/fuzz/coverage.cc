#include "coverage.h"

#include <stdint.h>
#include <string.h>

namespace sbx::fuzz {
namespace {

constexpr size_t kPlaces = 1 << 16;

uint8_t gTimes[kPlaces];  // of the running input; all 0 between two
uint8_t gKnown[kPlaces];  // a bit for each magnitude
// The places of the running input, so that nobody has to search the whole table for the few hundred that an
// input reaches.
uint16_t gTouched[kPlaces];
size_t gTouchedCount = 0;
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
  gBefore = 0;
  for (size_t i = 0; i < gTouchedCount; ++i) gTimes[gTouched[i]] = 0;
  gTouchedCount = 0;
}

Reached FinishCoverage() {
  Reached reached;
  for (size_t i = 0; i < gTouchedCount; ++i) {
    const uint16_t place = gTouched[i];
    const uint8_t magnitude = MagnitudeOf(gTimes[place]);
    reached.isNew |= (magnitude & ~gKnown[place]) != 0;
    reached.steps += gTimes[place];
    gKnown[place] |= magnitude;
  }
  return reached;
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
  uint8_t& times = gTimes[place];
  if (times == 0) gTouched[gTouchedCount++] = (uint16_t)place;
  if (times < 255) ++times;
}
