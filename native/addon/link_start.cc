// The start message.
#include <errno.h>
#include <string.h>

#include <algorithm>

#include "../common/memory_file.h"
#include "decode.h"
#include "link.h"
#include "numbers.h"
#include "tail.h"

namespace sbx {
namespace {

// A plan of any size as a sealed memory file, for messages that a socket would not take: init reads what was
// checked here.
int PlanFile(const std::string& plan) {
  const int made = NewMemoryFile("sbx-plan");
  if (made < 0) return made;
  Fd file(made);
  if (const int written = WriteAll(made, plan.data(), plan.size()); written < 0) return written;
  const int sealed = Seal(made);
  return sealed < 0 ? sealed : file.release();
}

// One line of a list.
void Decode(Numbers& numbers, FdRow& row) {
  numbers.Take(row.target);
  numbers.Take(row.flags);
  numbers.Take(row.index);
}
void Decode(Numbers& numbers, OutputRow& row) {
  numbers.Take(row.tree);
  numbers.Take(row.mode);
  numbers.Take(row.asFile);
}
void Decode(Numbers& numbers, RlimitRow& row) {
  numbers.Take(row.resource);
  numbers.Take(row.soft);
  numbers.Take(row.hard);
}
void Decode(Numbers& numbers, WriteRow& row) {
  numbers.Take(row.counter);
  // Where swap is not accounted, the host has said so, and kernels are about to lose the limit for sockets of
  // v1.
  row.optional = row.counter == kCounterSwapLimit || row.counter == kCounterSocketLimit;
}

// Descriptors in the order in which they go beside the message.
std::vector<int> DecodeLists(Numbers& numbers, StartRecord& record) {
#define SBX_START_LIST(name, array, count, width, max) \
  record.count = numbers.Lines(width, max);            \
  for (uint32_t i = 0; i < record.count; ++i) Decode(numbers, record.array[i]);
#include "../protocol/requests.def"
  std::vector<int> all;
#define SBX_START_FDS(name)                            \
  [[maybe_unused]] const size_t name##At = all.size(); \
  numbers.AppendTo(all);
#include "../protocol/requests.def"
  record.joinCount = (uint32_t)(countersAt - joinsAt);
#define SBX_START_TEXTS(name, count) numbers.Take(record.count);
#include "../protocol/requests.def"
  return all;
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
  Numbers numbers(info);
  Decode(numbers, record);
  std::vector<int> fds = DecodeLists(numbers, record);
  if (!numbers.Complete()) return Result(info.Env(), -E2BIG);
  if (!AddContents(info[2].As<Napi::Array>(), record, tail)) return Result(info.Env(), -E2BIG);
  AddTyped(info[3], record, tail);
  if (!AddStrings(info[1].As<Napi::String>(), record, tail)) return Result(info.Env(), -EINVAL);
  record.size = tail.next();
  if (record.size > kPlanBytesMax) return Result(info.Env(), -E2BIG);
  constexpr uint32_t kStringsInMessage = 8000;  // init's table for plans in a message has little more
  if (record.size <= kMessageBytesMax &&
      record.pathCount + record.argCount + record.envCount < kStringsInMessage) {
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
