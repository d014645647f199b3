// What code an input reaches: steps from one place to the next, and roughly how often, in a table of their hashes.
#pragma once

#include <stddef.h>

namespace sbx::fuzz {

void StartCoverage();
// Whether something was reached since that no input before has.
bool FinishCoverage();
void ForgetCoverage();
size_t CountReached();

}  // namespace sbx::fuzz
