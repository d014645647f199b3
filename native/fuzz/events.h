// What the fuzzer feeds: a list of events, each `kind, length (16 bits, little-endian), payload`. They are
// the world of the helper under test: what its host sends, which calls fail, whom a clone comes back to, when
// programs end.
#pragma once

#include <stdint.h>

#include <string>
#include <vector>

namespace sbx::fuzz {

enum EventKind : uint8_t {
  kMessage,  // one byte: descriptors beside it; then the message
  kFault,    // ordinal of a system call (16 bits), error number (8 bits)
  kFork,     // one byte: 1 takes the other side of the next clone
  kExit,     // of a child: which (8 bits), exit code or signal (8 bits)
  kText,     // what files read as from now on
  kClock,    // nanoseconds that pass (up to 64 bits)
  kPipe,     // what a launch beside others reports; empty: end of file
  kPlan,     // content of a plan in a file
  kNotice,   // memory has run out, or so it is said
  kEventKinds,
};

struct Event {
  uint8_t kind;
  std::string payload;
};
using Events = std::vector<Event>;

inline Events Parse(const std::string& input) {
  Events events;
  for (size_t at = 0; at + 3 <= input.size();) {
    const size_t length = (uint8_t)input[at + 1] | (size_t)(uint8_t)input[at + 2] << 8;
    events.push_back({(uint8_t)((uint8_t)input[at] % kEventKinds), input.substr(at + 3, length)});
    at += 3 + length;
  }
  return events;
}

inline std::string Join(const Events& events) {
  std::string input;
  for (const Event& event : events) {
    const size_t length = event.payload.size() < 0xffff ? event.payload.size() : 0xffff;
    input += {(char)event.kind, (char)length, (char)(length >> 8)};
    input += event.payload.substr(0, length);
  }
  return input;
}

// A number from the start of a payload; what is missing is 0.
template <typename Number>
Number First(const std::string& payload, size_t at = 0) {
  Number number = 0;
  for (size_t i = 0; i < sizeof(Number) && at + i < payload.size(); ++i)
    number |= (Number)((Number)(uint8_t)payload[at + i] << (8 * i));
  return number;
}

}  // namespace sbx::fuzz
