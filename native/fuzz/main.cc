// A fuzzer for targets that are built with -fsanitize-coverage=trace-pc: changes inputs, keeps those that reach something new.
//
//   fuzz TARGET [--seconds N] [--seed N] [--corpus FILE] [--keep] [--crash FILE]
//
// --corpus: inputs to begin with, a line each; --keep writes back the fewest that reach all that is known. --crash: where the input
// goes that was wrong; given a file that is there, only that is run.
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "../test/messages.h"
#include "corpus.h"
#include "coverage.h"
#include "events.h"
#include "target.h"

namespace sbx::fuzz {
namespace {

constexpr long kHangSeconds = 5;
constexpr size_t kInputMax = 40'000;

struct Options {
  double seconds = 1;
  uint32_t seed = 1;
  bool keep = false;
  std::string corpus, crash = "fuzz-crash";
};

const std::string* gCurrent = nullptr;
std::string gCrashFile;

void SaveCurrent() {
  if (gCurrent == nullptr) return;
  std::ofstream(gCrashFile) << Encode(*gCurrent) << '\n';
  fprintf(stderr, "the input is in %s\n", gCrashFile.c_str());
  gCurrent = nullptr;
}

void OnAbort(int) { SaveCurrent(); }
[[noreturn]] void OnHang(int) { Wrong("an input takes too long"); }

class Fuzzer {
 public:
  Fuzzer(const Target& target, const Options& options) : target_(target), options_(options), mutator_(options.seed) {}

  void Run() {
    std::vector<std::string> first = ReadCorpus(options_.corpus);
    for (std::string& seed : target_.seeds()) first.push_back(std::move(seed));
    for (const std::string& input : first) Try(input);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(options_.seconds);
    while (std::chrono::steady_clock::now() < end)
      for (unsigned i = 0; i < 64; ++i) Try(Changed(known_[mutator_.Below((uint32_t)known_.size())]));
    if (options_.keep) WriteCorpus(options_.corpus, Fewest());
    printf("%s: %lu inputs, %zu kept, %zu places reached\n", target_.name, tried_, known_.size(), CountReached());
  }

 private:
  bool RunOne(const std::string& input) {
    gCurrent = &input;
    const struct itimerval hang = {{}, {kHangSeconds, 0}};
    setitimer(ITIMER_PROF, &hang, nullptr);  // of our own time: the machine may be busy
    StartCoverage();
    target_.run(input);
    const bool isNew = FinishCoverage();
    gCurrent = nullptr;
    ++tried_;
    return isNew;
  }

  void Try(const std::string& input) {
    if (input.size() <= kInputMax && RunOne(input)) known_.push_back(input);
  }

  std::string Changed(const std::string& input) {
    if (!target_.isEvents || mutator_.Below(8) == 0) return mutator_.Mutate(input);
    Events events = Parse(input);
    for (unsigned times = 1 + mutator_.Below(4); times > 0; --times) ChangeEvents(events);
    return Join(events);
  }

  void ChangeEvents(Events& events) {
    const auto any = [&](const Events& list) { return mutator_.Below((uint32_t)list.size()); };
    const uint32_t how = events.empty() ? 4 : mutator_.Below(10);
    if (how == 0) return (void)events.erase(events.begin() + any(events));
    if (how == 1) return (void)events.insert(events.begin() + any(events), Event(events[any(events)]));
    if (how == 2) return std::swap(events[any(events)], events[any(events)]);
    if (how == 3) return AddSmall(events);
    if (how == 4) {
      const Events other = Parse(known_[mutator_.Below((uint32_t)known_.size())]);
      if (other.empty()) return AddSmall(events);
      const uint32_t from = any(other), count = 1 + mutator_.Below((uint32_t)other.size() - from);
      events.insert(events.begin() + mutator_.Below((uint32_t)events.size() + 1), other.begin() + from, other.begin() + from + count);
      return;
    }
    Event& event = events[any(events)];
    event.payload = mutator_.Mutate(event.payload.empty() ? std::string(2, '\0') : event.payload);
  }

  // A fault, a fork, an end, a moment.
  void AddSmall(Events& events) {
    constexpr EventKind kSmall[] = {kFault, kFault, kFork, kExit, kClock, kPipe, kNotice};
    Event event = {kSmall[mutator_.Below(sizeof(kSmall))], {}};
    if (event.kind == kFault) {
      const uint32_t ordinal = mutator_.Below(700);
      constexpr uint8_t kErrors[] = {1, 2, 3, 4, 5, 7, 10, 11, 12, 16, 17, 22, 24, 28, 30, 32};
      event.payload = {(char)ordinal, (char)(ordinal >> 8), (char)kErrors[mutator_.Below(sizeof(kErrors))]};
    } else {
      for (uint32_t bytes = mutator_.Below(9); bytes > 0; --bytes) event.payload += (char)mutator_.Below(256);
    }
    events.insert(events.begin() + mutator_.Below((uint32_t)events.size() + 1), event);
  }

  // The short ones first, each that reaches a place which none before it has, however often.
  std::vector<std::string> Fewest() {
    std::vector<std::string> all = known_, fewest;
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return Encode(a).size() < Encode(b).size(); });
    ForgetCoverage();
    for (const std::string& input : all) {
      const size_t before = CountReached();
      (void)RunOne(input);
      if (CountReached() > before) fewest.push_back(input);
    }
    return fewest;
  }

  const Target& target_;
  const Options& options_;
  test::Mutator mutator_;
  std::vector<std::string> known_;
  unsigned long tried_ = 0;
};

int Main(int argc, char** argv) {
  const Target* target = nullptr;
  for (const Target* one : {&kHelperTarget, &kCountersTarget})
    if (argc > 1 && strcmp(argv[1], one->name) == 0) target = one;
  Options options;
  for (int i = 2; i < argc; ++i) {
    const std::string name = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--keep") options.keep = true;
    else if (name == "--seconds") options.seconds = atof(value), ++i;
    else if (name == "--seed") options.seed = (uint32_t)atol(value), ++i;
    else if (name == "--corpus") options.corpus = value, ++i;
    else if (name == "--crash") options.crash = value, ++i;
    else target = nullptr;
  }
  if (target == nullptr) return fprintf(stderr, "usage: fuzz helper|counters [--seconds N] [--seed N] [--corpus FILE] [--keep] [--crash FILE]\n"), 2;
  gCrashFile = options.crash;
  signal(SIGABRT, OnAbort);
  signal(SIGPROF, OnHang);
  if (const std::vector<std::string> crashes = ReadCorpus(options.crash); !crashes.empty()) {
    for (const std::string& input : crashes) target->run(input);
    return printf("%s: %zu inputs of %s, nothing wrong\n", target->name, crashes.size(), options.crash.c_str()), 0;
  }
  Fuzzer(*target, options).Run();
  return 0;
}

}  // namespace

void Wrong(const char* what) {
  fprintf(stderr, "%s\n", what);
  __sanitizer_print_stack_trace();
  abort();
}

}  // namespace sbx::fuzz

// Whatever a sanitizer finds ends in SIGABRT.
extern "C" const char* __asan_default_options() { return "abort_on_error=1:detect_leaks=0"; }
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }

int main(int argc, char** argv) { return sbx::fuzz::Main(argc, argv); }
