// What tests of the filters share: each profile compiled, run on made-up calls, and what a refusal looks
// like.
#pragma once

#include <errno.h>
#include <linux/audit.h>
#include <linux/sched.h>

#include <initializer_list>

#include "bpf.h"

namespace sbx::test {

#if defined(__x86_64__)
inline constexpr uint32_t kNative = AUDIT_ARCH_X86_64;
#else
inline constexpr uint32_t kNative = AUDIT_ARCH_AARCH64;
#endif

inline constexpr uint32_t kAllow = SECCOMP_RET_ALLOW, kKill = SECCOMP_RET_KILL_PROCESS;
inline constexpr uint32_t kX32Bit = 0x40000000;
inline constexpr uint32_t kNewestCall = 469;  // file_setattr of Linux 6.17
inline constexpr LaunchKey kLaunchKey = {{0x5eed5eed, 0x0badcafe, 0x80000001, 0x7fffffff}};
inline constexpr unsigned long long kHigh = 1ULL << 32;  // what a filter that compares 64 bits would see

struct Args {
  uint64_t values[6];
};

inline bool OneOf(uint64_t value, std::initializer_list<uint32_t> values) {
  for (const uint32_t one : values)
    if ((uint32_t)value == one) return true;
  return false;
}

inline struct seccomp_data Data(uint32_t arch, uint32_t number, const Args& args) {
  struct seccomp_data data = {};
  data.arch = arch;
  data.nr = (int)number;
  for (int i = 0; i < 6; ++i) data.args[i] = args.values[i];
  return data;
}

// One compiled filter, and what it should do.
class Subject {
 public:
  explicit Subject(FilterOptions options)
      : strict(options.profile == SeccompProfile::kStrict),
        kill(options.kill),
        ignoreSignals(options.ignoreSignalsToInit),
        interfaces(options.interfaces),
        writableRows(options.writableRows),
        allowed(strict ? 0 : options.allowed) {
    options.launchKey = kLaunchKey;
    CompileFilter(options, filter_);
    bpf_.emplace_back(filter_);
  }

  uint32_t Run(uint32_t number, const Args& args = {}, uint32_t arch = kNative) {
    return bpf_[0].Run(Data(arch, number, args));
  }
  uint32_t Refusal(int error) const {
    return kill && error != ENOSYS && error != EOPNOTSUPP && error != EINVAL && error != EPROTONOSUPPORT &&
                   error != ENOPKG && error != 0
               ? kKill
               : SECCOMP_RET_ERRNO | (uint32_t)error;
  }
  const Filter& filter() const { return filter_; }
  const std::vector<bool>& executed() const { return bpf_[0].executed(); }
  size_t steps() const { return bpf_[0].steps(); }

  // Whether a row of the table is in this filter.
  bool Has(const SeccompRow& row) const {
    return row.when == SeccompWhen::kAlways || row.when == SeccompWhen::kAfterSetUp ||
           row.when == SeccompWhen::kBothParts || (row.when == SeccompWhen::kStrict && strict) ||
           (row.when == SeccompWhen::kIgnoreSignals && ignoreSignals) ||
           (row.when == SeccompWhen::kNothingWritable && !writableRows);
  }

  const bool strict, kill, ignoreSignals, interfaces, writableRows;
  const uint32_t allowed;

 private:
  Filter filter_;
  std::vector<Bpf> bpf_;
};

template <typename Body>
void ForEachSubject(Body body) {
  for (const SeccompProfile profile : {SeccompProfile::kDefault, SeccompProfile::kStrict})
    for (const bool kill : {false, true})
      for (const bool ignoreSignals : {false, true})
        for (const bool interfaces : {false, true})
          for (const uint32_t allowed : {0U, kAllowTracing, kAllowFilters | kAllowAio}) {
            const bool writableRows = allowed == kAllowTracing;
            Subject subject(
                {profile, kill, ignoreSignals, {}, interfaces, FilterPart::kWhole, writableRows, allowed});
            body(subject);
          }
}

inline constexpr uint64_t kNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

}  // namespace sbx::test
