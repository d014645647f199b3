// What every set-up step returns: nothing, or where it failed and why.
#pragma once

#include "../common/record.h"

#include "faults.h"

namespace sbx {

struct [[nodiscard]] Failure {
  Stage stage = Stage::k_none;
  uint16_t index = 0;
  int32_t error = 0;  // positive error number
  explicit operator bool() const { return error != 0; }
};

// A failure when `result` is negative, else none.
inline Failure FailIf(Stage stage, long result, unsigned index = 0) {
  if (const int injected = InjectedFault(stage, index)) result = -injected;
  if (result >= 0) return {};
  return {stage, (uint16_t)index, (int32_t)-result};
}

}  // namespace sbx

// Returns early from a function that returns Failure.
#define SBX_TRY(expression)                                            \
  do {                                                                 \
    if (const ::sbx::Failure failure_ = (expression)) return failure_; \
  } while (0)
