// Changes inputs, and keeps those that reach something new.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "../test/messages.h"
#include "coverage.h"
#include "events.h"
#include "target.h"

namespace sbx::fuzz {

struct Options {
  double seconds = 0;            // 0: for as long as `executions` takes
  unsigned long executions = 0;  // 0: for as long as `seconds` last; what `work` says of earlier runs counts
  uint32_t seed = 1;
  std::vector<std::string> corpora;  // files of inputs to begin with
  std::string keep;                  // where the fewest go that reach all that is known; empty: nowhere
  std::string work;                  // where a long run is written down, to be gone on with; empty: nowhere
  std::string crash = "fuzz-crash";
};

class Fuzzer {
 public:
  Fuzzer(const Target& target, const Options& options)
      : target_(target), options_(options), mutator_(options.seed) {}

  // Until it has done what was asked, or `stop` is true.
  void Run(const volatile bool& stop);

 private:
  using Clock = std::chrono::steady_clock;

  void Begin();
  Reached RunOne(const std::string& input);
  void Try(const std::string& input);
  const std::string& Cheaper();
  std::string Changed(const std::string& input);
  void ChangeEvents(Events& events);
  void AddSmall(Events& events);
  void Save() const;
  void Tell(const char* note) const;
  std::vector<std::string> Fewest();

  const Target& target_;
  const Options& options_;
  test::Mutator mutator_;
  std::vector<std::string> known_;
  std::vector<size_t> costs_;   // of each that is known: its steps
  unsigned long executed_ = 0;  // of changed inputs, earlier runs included
  unsigned long before_ = 0;    // of these, what earlier runs did
  Clock::time_point start_;
};

// The input that runs, for whoever has to save it; null between two.
extern const std::string* gCurrent;

}  // namespace sbx::fuzz
