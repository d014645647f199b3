#include "bounds.h"

#include <errno.h>

#include "../common/text.h"
#include "counters.h"

namespace sbx {
namespace {

constexpr uint64_t kPageBytes = 4096;
// So much above what is due a bound stays as it is. What a group holds before a start differs by half of that
// from run to run, as the kernel charges in batches, and runs that are all the same would write their limits
// again and again.
constexpr uint64_t kSlackBytes = 768 << 10;
// A second one is rare. Each takes microseconds, and the kernel tries to reclaim before it refuses.
constexpr unsigned kAttemptsMax = 10;

// 0: as asked for. What is held in a session is its programs' own, and counts.
uint64_t MemoryBound(const Program& program, const StartRecord& record) {
  if ((record.flags & kStartOneShot) == 0 || record.memoryLimitBytes == 0 || program.memoryBase == kUnknown)
    return 0;
  return (program.memoryBase + record.memoryLimitBytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

Failure Write(const Counters& counters, Counter counter, const char* text, unsigned index) {
  return FailIf(Stage::k_cgroupWrite, WriteCounter(counters, counter, text), index);
}

Failure MoveMemoryBound(const Counters& counters, uint64_t bound) {
  const uint64_t now = ReadNumber(counters, kCounterMemoryLimit);
  if (now == kUnknown || (now >= bound && now - bound <= kSlackBytes)) return {};
  // v1 bounds memory and swap together by the same number, and never below that of memory alone.
  const bool swapFollows = ReadNumber(counters, kCounterSwapLimit) == now;
  const Decimal number(bound);
  if (swapFollows && bound > now) SBX_TRY(Write(counters, kCounterSwapLimit, number.text(), 0));
  SBX_TRY(Write(counters, kCounterMemoryLimit, number.text(), 1));
  if (swapFollows && bound < now) SBX_TRY(Write(counters, kCounterSwapLimit, number.text(), 2));
  return {};
}

Failure WriteBounds(
    const Counters& counters, uint64_t bound, const StartRecord& record, const char* message) {
  if (record.writeCount == 0 && bound != 0) return MoveMemoryBound(counters, bound);
  const Decimal number(bound);
  for (unsigned i = 0; i < record.writeCount; ++i) {
    const WriteRow& row = record.writes[i];
    if (row.counter >= kCounterCount || row.text >= record.size) return {Stage::k_plan, 10, EPROTO};
    const char* text = message + row.text;
    // The limits of swap and sockets are the same number with v1.
    if (bound != 0 && ParseNumber(text) == record.memoryLimitBytes && row.counter != kCounterTaskLimit)
      text = number.text();
    const int written = WriteCounter(counters, (Counter)row.counter, text);
    SBX_TRY(FailIf(Stage::k_cgroupWrite, row.optional != 0 ? 0 : written, i));
  }
  return {};
}

}  // namespace

Failure BoundGroup(
    const Counters& counters, Program& program, const StartRecord& record, const char* message) {
  for (unsigned attempt = 1;; ++attempt) {
    const uint64_t bound = MemoryBound(program, record);
    const Failure failure = WriteBounds(counters, bound, record, message);
    // v1 refuses a bound below what is charged. The kernel charges on between our look and our write, and a
    // limit of a few pages leaves no room for that: the group holds more at the start than we saw.
    if (failure.error != EBUSY || bound == 0 || attempt == kAttemptsMax) return failure;
    program.memoryBase = ReadNumber(counters, kCounterMemoryNow);
  }
}

}  // namespace sbx
