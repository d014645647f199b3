// The start message. It is the one of which there is one per program, so it does not come as an object whose properties are asked for
// one by one: packages/core/src/native-sends.ts writes numbers and strings in a row, in the order in which they are read here.
#include <errno.h>
#include <string.h>

#include <algorithm>

#include "../common/memory_file.h"
#include "decode.h"
#include "link.h"
#include "tail.h"

namespace sbx {
namespace {

// Numbers from first to last. Past the end, or where a list is longer than there is room for, it fails, and gives zeros.
class Row {
 public:
  Row(const double* numbers, size_t count) : at_(numbers), end_(numbers + count) {}

  double Next() {
    if (at_ == end_) failed_ = true;
    return failed_ ? 0 : *at_++;
  }
  uint32_t Uint() { return (uint32_t)(int64_t)Next(); }
  // None is -1.
  uint64_t Uint64() {
    const double number = Next();
    return number < 0 ? ~0ULL : (uint64_t)number;
  }
  // The length of a list of lines of `width` numbers each.
  uint32_t Lines(uint32_t width, uint32_t most) {
    const uint32_t numbers = Uint();
    if (numbers % width != 0 || numbers / width > most) failed_ = true;
    return failed_ ? 0 : numbers / width;
  }
  void AppendTo(std::vector<int>& list) {
    for (uint32_t left = Lines(1, kDescriptorsMax); left > 0; --left) list.push_back((int)Next());
  }
  bool failed() const { return failed_; }
  bool ended() const { return at_ == end_; }

 private:
  const double* at_;
  const double* end_;
  bool failed_ = false;
};

// A plan of any size as a sealed memory file, for messages that a socket would not take: init reads what was checked here.
int PlanFile(const std::string& plan) {
  const int made = NewMemoryFile("sbx-plan");
  if (made < 0) return made;
  Fd file(made);
  if (const int written = WriteAll(made, plan.data(), plan.size()); written < 0) return written;
  const int sealed = Seal(made);
  return sealed < 0 ? sealed : file.release();
}

void DecodeFixed(Row& row, StartRecord& record) {
  record.flags = row.Uint();
  record.programId = row.Uint();
  record.cpuLimitNs = row.Uint64();
  record.wallLimitNs = row.Uint64();
  record.memoryLimitBytes = row.Uint64();
  record.cpuCount = row.Uint();
  record.turns = row.Uint();
  record.cols = row.Uint();
  record.rows = row.Uint();
  record.counterMask = row.Uint();
  record.oomEventfd = row.Uint();
}

void DecodeLists(Row& row, StartRecord& record) {
  record.fdCount = row.Lines(3, kProgramFdsMax);
  for (uint32_t i = 0; i < record.fdCount; ++i) record.fds[i] = {(uint16_t)row.Uint(), (uint8_t)row.Uint(), (uint8_t)row.Uint()};
  record.outputCount = row.Lines(3, kOutputsMax);
  for (uint32_t i = 0; i < record.outputCount; ++i) record.outputs[i] = {(uint16_t)row.Uint(), (uint16_t)row.Uint(), row.Uint(), 0};
  record.rlimitCount = row.Lines(3, kRlimitsMax);
  for (uint32_t i = 0; i < record.rlimitCount; ++i) record.rlimits[i] = {row.Uint(), 0, row.Uint64(), row.Uint64()};
  record.writeCount = row.Lines(1, kWritesMax);
  // Optional: where swap is not accounted, the host has said so, and kernels are about to lose the limit for sockets of v1.
  const auto optional = [](uint32_t counter) { return counter == kCounterSwapLimit || counter == kCounterSocketLimit; };
  for (uint32_t i = 0; i < record.writeCount; ++i) {
    const uint32_t counter = row.Uint();
    record.writes[i] = {(uint16_t)counter, optional(counter), 0};
  }
}

// Every string ends with NUL. False when there are more or fewer than the rows ask for.
bool AddStrings(Napi::String text, StartRecord& record, Tail& tail) {
  uint32_t at = tail.next();
  const std::string strings = text.Utf8Value();
  (void)tail.Add(strings);
  const char* next = strings.c_str();
  const char* const end = next + strings.size() + 1;
  bool whole = true;
  const auto take = [&] {
    if (next == end) whole = false;
    const uint32_t offset = at, size = next == end ? 0 : (uint32_t)strlen(next) + 1;
    next += size;
    at += size;
    return offset;
  };
  record.cwd = take();
  for (uint32_t i = 0; i < record.outputCount; ++i) record.outputs[i].path = take();
  for (uint32_t i = 0; i < record.writeCount; ++i) record.writes[i].text = take();
  record.strings = at;
  const uint32_t rest = record.pathCount + record.argCount + record.envCount;
  for (uint32_t i = 0; i < rest && whole; ++i) (void)take();
  return whole && next == end;
}

bool AddContents(Napi::Array contents, StartRecord& record, Tail& tail) {
  record.contentCount = contents.Length();
  if (record.contentCount > kContentsMax) return false;
  for (uint32_t i = 0; i < record.contentCount; ++i) {
    const std::string_view bytes = BytesOf(contents.Get(i));
    record.contents[i] = {tail.Add(bytes), (uint32_t)bytes.size()};
  }
  return true;
}

void AddTyped(Napi::Value value, StartRecord& record, Tail& tail) {
  const std::string_view typed = BytesOf(value);
  record.typedSize = (uint32_t)typed.size();
  if (!typed.empty()) record.typed = tail.Add(typed);
}

}  // namespace

// (numbers, how many, text, contents, typed)
Napi::Value Link::Start(const Napi::CallbackInfo& info) {
  StartRecord record = {};
  Tail tail(sizeof(record));
  const auto numbers = info[0].As<Napi::Float64Array>();
  Row row(numbers.Data(), std::min<size_t>(info[1].As<Napi::Number>().Uint32Value(), numbers.ElementLength()));
  DecodeFixed(row, record);
  DecodeLists(row, record);
  std::vector<int> fds, joins, counters;
  row.AppendTo(fds);
  row.AppendTo(joins);
  row.AppendTo(counters);
  record.joinCount = (uint32_t)joins.size();
  fds.insert(fds.end(), joins.begin(), joins.end());
  fds.insert(fds.end(), counters.begin(), counters.end());
  record.pathCount = row.Uint();
  record.argCount = row.Uint();
  record.envCount = row.Uint();
  if (row.failed() || !row.ended()) return Result(info.Env(), -E2BIG);
  if (!AddContents(info[3].As<Napi::Array>(), record, tail)) return Result(info.Env(), -E2BIG);
  AddTyped(info[4], record, tail);
  if (!AddStrings(info[2].As<Napi::String>(), record, tail)) return Result(info.Env(), -EINVAL);
  record.size = tail.next();
  if (record.size > kPlanBytesMax) return Result(info.Env(), -E2BIG);
  constexpr uint32_t kStringsInMessage = 8000;  // init's table for plans in a message has little more
  if (record.size <= kMessageBytesMax && record.pathCount + record.argCount + record.envCount < kStringsInMessage) {
    const std::string message = Bytes(record, tail.bytes());
    return Result(info.Env(), SendRecord(message.data(), message.size(), fds));
  }
  record.flags |= kStartInFile;
  Fd file(PlanFile(Bytes(record, tail.bytes())));
  if (!file) return Result(info.Env(), -ENOMEM);
  fds.insert(fds.begin(), file.get());
  return Result(info.Env(), SendRecord(&record, sizeof(record), fds));
}

}  // namespace sbx
