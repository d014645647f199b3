// A row of numbers that TypeScript has put together (packages/core/src/native/records.ts), read in the order
// of native/protocol.
#pragma once

#include <napi.h>

#include <algorithm>
#include <vector>

#include "../common/record.h"

namespace sbx {

// Numbers from first to last. Past the end, or where a list is longer than there is room for, it fails, and
// gives zeros.
class Numbers {
 public:
  // (row, …): the first number says how many follow it.
  explicit Numbers(const Napi::CallbackInfo& info) {
    const auto row = info[0].As<Napi::Float64Array>();
    at_ = end_ = row.Data();
    if (row.ElementLength() > 0) end_ += std::min(1 + (size_t)std::max(0.0, *at_++), row.ElementLength());
  }

  // The next one, as what it is to be. Of 64 bits, what is not known is -1.
  void Take(uint32_t& number) { number = (uint32_t)(int64_t)Next(); }
  void Take(uint16_t& number) { number = (uint16_t)(int64_t)Next(); }
  void Take(uint8_t& number) { number = (uint8_t)(int64_t)Next(); }
  void Take(int32_t& number) { number = (int32_t)Next(); }
  void Take(Cause& cause) { cause = (Cause)(int64_t)Next(); }
  void Take(uint64_t& number) {
    const double next = Next();
    number = next < 0 ? kUnknown : (uint64_t)next;
  }
  // The length of a list of lines of `width` numbers each.
  uint32_t Lines(uint32_t width, uint32_t most) {
    uint32_t numbers;
    Take(numbers);
    if (numbers % width != 0 || numbers / width > most) failed_ = true;
    return failed_ ? 0 : numbers / width;
  }
  void AppendTo(std::vector<int>& list) {
    for (uint32_t left = Lines(1, kDescriptorsMax); left > 0; --left) list.push_back((int)Next());
  }
  // Whether there were as many as were taken.
  bool Complete() const { return !failed_ && at_ == end_; }

 private:
  double Next() {
    if (at_ == end_) failed_ = true;
    return failed_ ? 0 : *at_++;
  }

  const double* at_;
  const double* end_;
  bool failed_ = false;
};

#define SBX_TAKE(type, name, as) numbers.Take(record.name);
inline void Decode(Numbers& numbers, NewSlotRecord& record) {
#define SBX_NEW_SLOT SBX_TAKE
#include "../protocol/requests.def"
}
inline void Decode(Numbers& numbers, GroupsRecord& record) {
#define SBX_GROUPS SBX_TAKE
#include "../protocol/requests.def"
}
inline void Decode(Numbers& numbers, PrepareRecord& record) {
  numbers.Take(record.flags);
#define SBX_PREPARE SBX_TAKE
#include "../protocol/requests.def"
}
inline void Decode(Numbers& numbers, StartRecord& record) {
  numbers.Take(record.flags);
#define SBX_START SBX_TAKE
#include "../protocol/requests.def"
}
inline void Decode(Numbers& numbers, ActivateRecord& record) {
#define SBX_ACTIVATE SBX_TAKE
#include "../protocol/requests.def"
}
inline void Decode(Numbers& numbers, SignalRecord& record) {
#define SBX_SIGNAL SBX_TAKE
#include "../protocol/requests.def"
}
inline void Decode(Numbers& numbers, MakeSocketRecord& record) {
#define SBX_MAKE_SOCKET SBX_TAKE
#include "../protocol/requests.def"
}
#undef SBX_TAKE

}  // namespace sbx
