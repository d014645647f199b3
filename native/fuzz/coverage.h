// What code an input reaches: steps from one place to the next, and roughly how often, in a table of their
// hashes.
#pragma once

#include <stddef.h>

namespace sbx::fuzz {

// Since StartCoverage().
struct Reached {
  bool isNew = false;  // something that no input before has reached
  size_t steps = 0;    // of each from one place to the next at most 255: a measure of what the input costs
};

void StartCoverage();
Reached FinishCoverage();
void ForgetCoverage();
size_t CountReached();

}  // namespace sbx::fuzz
