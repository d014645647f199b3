// A second opinion on filters: an interpreter for the instructions that seccomp allows, which remembers what
// it executed.
#pragma once

#include <linux/seccomp.h>

#include <vector>

#include "../plan/seccomp.h"

namespace sbx::test {

class Bpf {
 public:
  explicit Bpf(const Filter& filter) : filter_(filter), executed_(filter.length) {}

  // The filter's answer; fails the test and answers kBroken where the kernel would not have loaded it.
  uint32_t Run(const struct seccomp_data& data);

  const std::vector<bool>& executed() const { return executed_; }
  size_t steps() const { return steps_; }  // of the last run

  static constexpr uint32_t kBroken = 0xdeadbeef;

 private:
  const Filter& filter_;
  std::vector<bool> executed_;
  size_t steps_ = 0;
};

}  // namespace sbx::test
