// The system call filter: a table of what is refused, compiled to BPF. Pure; the result is loaded elsewhere.
#pragma once

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

#include "../common/launch_key.h"
#include "../common/record.h"

namespace sbx {

constexpr size_t kFilterLengthMax = 1024;

struct Filter {
  struct sock_filter code[kFilterLengthMax];
  size_t length;
};

// A filter costs a sandbox more than any other step: the kernel compiles it anew for each. So most of the
// default one is loaded by the keeper, once, and inherited; only what the set-up of a sandbox itself needs is
// refused by a second one, after it.
enum class FilterPart : uint8_t { kWhole, kInherited, kAfterSetUp };

struct FilterOptions {
  SeccompProfile profile;
  // Refused calls kill the process instead of failing, except those that libraries probe for and do without.
  bool kill;
  // A signal to pid 1 succeeds without being sent, instead of failing with EPERM in the kernel.
  bool ignoreSignalsToInit;
  // Lets set-ups and starts of programs, which are under the filter already, past some rows.
  LaunchKey launchKey;
  // Programs may ask the kernel for the network's interfaces and addresses, over NETLINK.
  bool interfaces = false;
  FilterPart part = FilterPart::kWhole;
  bool writableRows = false;  // programs may write to files of the host
  uint32_t allowed = 0;       // kAllow… of record.h; the strict profile knows none
};

// Compiles the table.
void CompileFilter(const FilterOptions& options, Filter& filter);

// When a row is in the filter; `kAfterSetUp`: always, but the set-up of a sandbox makes these calls;
// `kBothParts`: always, and the part of it that differs between sandboxes is in the filter after the set-up;
// `kNothingWritable`: where no row of the mount table lets programs write to the host.
enum class SeccompWhen : uint8_t {
  kAlways,
  kStrict,
  kIgnoreSignals,
  kAfterSetUp,
  kBothParts,
  kNothingWritable
};

// One refused call, for tests and documentation.
struct SeccompRow {
  const char* name;
  int number;
  int error;
  const char* condition;  // null: always refused
  SeccompWhen when;
};
const SeccompRow* SeccompRows(size_t& count);

}  // namespace sbx
