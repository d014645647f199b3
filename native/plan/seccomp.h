// The system call filter: a table of what is refused, compiled to BPF. Pure; the result is loaded elsewhere.
#pragma once

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

#include "../common/record.h"

namespace sbx {

constexpr size_t kFilterLengthMax = 1024;

struct Filter {
  struct sock_filter code[kFilterLengthMax];
  size_t length;
};

// Compiles the table for a profile. `kill`: refused calls kill the process instead of failing, except those that libraries
// probe for and fall back from (the ENOSYS rows).
void CompileFilter(SeccompProfile profile, bool kill, Filter& filter);

// One refused call, for tests and documentation.
struct SeccompRow {
  const char* name;
  int number;
  int error;
  const char* condition;  // null: always refused
  bool strictOnly;
};
const SeccompRow* SeccompRows(size_t& count);

}  // namespace sbx
