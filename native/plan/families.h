// What programs of each family of languages call, for the strict filter: a table of what is let through,
// compiled to BPF. Pure.
#pragma once

#include "../common/record.h"
#include "seccomp.h"

namespace sbx {

// Families are told apart by their bit in the table.
constexpr uint32_t FamilyBit(CallFamily family) { return 1u << (uint32_t)family; }

// Calls of one kind, and the families that make them.
struct CallGroup {
  const uint16_t* numbers;
  unsigned count;
  uint32_t families;
};
const CallGroup* CallGroups(size_t& count);

// From here on are numbers that no call has, then, from 424 on, the calls of Linux 5.1 and newer: programs
// are ready for a kernel that has none of them.
#if defined(__x86_64__)
constexpr unsigned kYoungCalls = 335;
#else
constexpr unsigned kYoungCalls = 295;
#endif

// A filter to be loaded over the strict one, right before exec. Calls that are not of the family fail with
// EPERM (or kill), young ones with ENOSYS. What the strict filter refuses always goes through, so that it
// keeps the errno that it has there.
void CompileFamily(CallFamily family, bool kill, Filter& filter);

}  // namespace sbx
