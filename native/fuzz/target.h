// A target: takes one input, and aborts when something is wrong. Seeds are what a long run starts from beside
// the kept corpus.
#pragma once

#include <string>
#include <vector>

namespace sbx::fuzz {

struct Target {
  const char* name;
  void (*run)(const std::string& input);
  std::vector<std::string> (*seeds)();
  bool isEvents;  // its inputs are lists of events (events.h), to be changed as such
};

extern const Target kHelperTarget, kCountersTarget;

// Says what is wrong, and aborts.
[[noreturn]] void Wrong(const char* what);

}  // namespace sbx::fuzz
