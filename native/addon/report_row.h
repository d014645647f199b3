// Where a helper's report is put for JavaScript: by position, in one row of numbers that both sides know,
// since every property of an object that the addon makes is several calls into the engine.
// packages/core/src/native/channel.ts reads in the order of writing.
#pragma once

#include <napi.h>

#include "../common/record.h"

namespace sbx {

class ReportRow {
 public:
  explicit ReportRow(Napi::Env env)
      : array_(Napi::Persistent(Napi::Float64Array::New(env, kLength))), numbers_(array_.Value().Data()) {}

  Napi::Float64Array array() const { return array_.Value(); }
  void Begin() { count_ = 0; }
  void Put(double number) { numbers_[count_++] = number; }
  // Unknown is -1.
  void PutFigure(uint64_t figure) { Put(figure == kUnknown ? -1 : (double)figure); }

 private:
  // As much as the longest report takes: descriptors, and less than 32 numbers before them.
  static constexpr size_t kLength = 32 + kDescriptorsMax;

  Napi::Reference<Napi::Float64Array> array_;
  // Lives as long as the array, which is never detached: it is handed to nobody but our own reader.
  double* numbers_;
  size_t count_ = 0;
};

}  // namespace sbx
