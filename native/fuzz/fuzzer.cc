#include "fuzzer.h"

#include <stdio.h>
#include <sys/time.h>

#include <algorithm>

#include "corpus.h"
#include "coverage.h"

namespace sbx::fuzz {

const std::string* gCurrent = nullptr;

namespace {

constexpr long kHangSeconds = 5;
constexpr size_t kInputMax = 40'000;
constexpr unsigned kBatch = 64;  // between two looks at the clock
constexpr auto kSaveEvery = std::chrono::seconds(60);

}  // namespace

void Fuzzer::Run(const volatile bool& stop) {
  Begin();
  start_ = Clock::now();
  const auto end =
      start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.seconds));
  auto save = start_ + kSaveEvery;
  while (!stop) {
    const auto now = Clock::now();
    if (options_.executions > 0 ? executed_ >= options_.executions : now >= end) break;
    if (!options_.work.empty() && now >= save) {
      Save();
      Tell("so far");
      save = now + kSaveEvery;
    }
    for (unsigned i = 0; i < kBatch; ++i, ++executed_) Try(Changed(Cheaper()));
  }
  Save();
  Tell(stop ? "stopped" : "done");
  if (!options_.keep.empty()) WriteCorpus(options_.keep, Fewest());
}

// All that is known runs once more: what it reaches is not written down.
void Fuzzer::Begin() {
  before_ = executed_ = ReadExecutions(options_.work);
  std::vector<std::string> first = target_.seeds();
  for (const std::string& file : options_.corpora)
    std::ranges::move(ReadCorpus(file), std::back_inserter(first));
  std::ranges::move(ReadCorpus(options_.work), std::back_inserter(first));
  for (const std::string& input : first) Try(input);
}

void Fuzzer::Save() const {
  if (!options_.work.empty()) WriteCorpus(options_.work, known_, executed_);
}

void Fuzzer::Tell(const char* note) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  printf("%s: %s, %lu executions", target_.name, note, executed_);
  if (options_.executions > 0) printf(" of %lu", options_.executions);
  printf(", %.0f/s, %zu inputs kept, %zu places reached\n",
      seconds > 0 ? (double)(executed_ - before_) / seconds : 0, known_.size(), CountReached());
  fflush(stdout);
}

Reached Fuzzer::RunOne(const std::string& input) {
  gCurrent = &input;
  const struct itimerval hang = {{}, {kHangSeconds, 0}};
  setitimer(ITIMER_PROF, &hang, nullptr);  // of our own time: the machine may be busy
  StartCoverage();
  target_.run(input);
  const Reached reached = FinishCoverage();
  gCurrent = nullptr;
  return reached;
}

void Fuzzer::Try(const std::string& input) {
  if (input.size() > kInputMax) return;
  const Reached reached = RunOne(input);
  if (!reached.isNew) return;
  known_.push_back(input);
  costs_.push_back(reached.steps);
}

// Of two that are known, the one that costs less to run: every one is taken now and then, and more are
// executed in the same time.
const std::string& Fuzzer::Cheaper() {
  const uint32_t one = mutator_.Below((uint32_t)known_.size()),
                 other = mutator_.Below((uint32_t)known_.size());
  return known_[costs_[one] <= costs_[other] ? one : other];
}

std::string Fuzzer::Changed(const std::string& input) {
  if (!target_.isEvents || mutator_.Below(8) == 0) return mutator_.Mutate(input);
  Events events = Parse(input);
  for (unsigned times = 1 + mutator_.Below(4); times > 0; --times) ChangeEvents(events);
  return Join(events);
}

void Fuzzer::ChangeEvents(Events& events) {
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
    events.insert(events.begin() + mutator_.Below((uint32_t)events.size() + 1), other.begin() + from,
        other.begin() + from + count);
    return;
  }
  Event& event = events[any(events)];
  event.payload = mutator_.Mutate(event.payload.empty() ? std::string(2, '\0') : event.payload);
}

// A fault, a fork, an end, a moment.
void Fuzzer::AddSmall(Events& events) {
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
std::vector<std::string> Fuzzer::Fewest() {
  std::vector<std::string> all = known_, fewest;
  std::stable_sort(all.begin(), all.end(),
      [](const auto& a, const auto& b) { return Encode(a).size() < Encode(b).size(); });
  ForgetCoverage();
  for (const std::string& input : all) {
    const size_t before = CountReached();
    (void)RunOne(input);
    if (CountReached() > before) fewest.push_back(input);
  }
  return fewest;
}

}  // namespace sbx::fuzz
