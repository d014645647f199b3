#include "counters.h"

#include <errno.h>

#include "../common/fd.h"
#include "../common/memory_file.h"
#include "../common/sys.h"

#include "../common/text.h"

namespace sbx {
namespace {

constexpr size_t kFileBytesMax = 8192;  // memory.stat is the largest, about 2 KiB

// The most that the kernel charges at once to a group that is nearly full, but for huge pages.
constexpr uint64_t kChargeBytesMax = 32 << 10;

// kUnknown for more than fits, as for what is unknown.
uint64_t Sum(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? kUnknown : sum;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

const char* ReadText(int fd) {
  static char buffer[kFileBytesMax];
  if (fd < 0) return nullptr;
  const long size = sys::PreadAll(fd, buffer, sizeof(buffer) - 1);
  if (size <= 0) return nullptr;
  buffer[size] = '\0';
  return buffer;
}

uint64_t ParseNumber(const char* text) {
  if (text == nullptr || !IsDigit(*text)) return kUnknown;
  uint64_t value = 0;
  for (; IsDigit(*text); ++text)
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
      return kUnknown;
  return value;
}

const char* FindText(const char* text, const char* key) {
  while (text != nullptr && *text != '\0') {
    if (StartsWith(text, key)) return text + Length(key);
    while (*text != '\0' && *text != '\n') ++text;
    if (*text == '\n') ++text;
  }
  return nullptr;
}

uint64_t FindNumber(const char* text, const char* key) { return ParseNumber(FindText(text, key)); }

uint64_t ReadCpuNs(const Counters& counters) {
  const char* text = ReadText(counters.fds[kCounterCpu]);
  if (text == nullptr) return kUnknown;
  if (IsDigit(*text)) return ParseNumber(text);  // v1: nanoseconds
  const uint64_t microseconds = FindNumber(text, "usage_usec ");
  return microseconds == kUnknown ? kUnknown : microseconds * 1000;
}

uint64_t ReadNumber(const Counters& counters, Counter counter) {
  return ParseNumber(ReadText(counters.fds[counter]));
}

MemoryEvents ReadMemoryEvents(const Counters& counters) {
  const uint64_t oomKills = FindNumber(ReadText(counters.fds[kCounterMemoryEvents]), "oom_kill ");
  if (counters.oomEventfd) return {oomKills, kUnknown};
  return {oomKills, FindNumber(ReadText(counters.fds[kCounterOomNotice]), "max ")};
}

uint64_t ReadCaches(const Counters& counters, uint64_t heldBefore) {
  const uint64_t held = ReadNumber(counters, kCounterMemoryNow);
  const char* text = ReadText(counters.fds[kCounterMemoryStat]);
  const bool isV1 = FindNumber(text, "total_cache ") != kUnknown;
  const uint64_t files = FindNumber(text, isV1 ? "total_cache " : "file "),
                 shared = FindNumber(text, isV1 ? "total_shmem " : "shmem ");
  if (files == kUnknown || shared == kUnknown || shared > files) return 0;
  const uint64_t pages = files - shared;
  if (!isV1) {
    const uint64_t names = FindNumber(text, "slab_reclaimable ");
    return names == kUnknown ? pages : Sum(pages, names);
  }
  const uint64_t others = Sum(Sum(files, FindNumber(text, "total_rss ")), heldBefore);
  return held == kUnknown || others >= held ? pages : Sum(pages, held - others);
}

bool HasMetBound(const Counters& counters) {
  const uint64_t bound = ReadNumber(counters, kCounterMemoryLimit),
                 mark = ReadNumber(counters, kCounterMemoryPeak);
  return bound != kUnknown && mark != kUnknown && Sum(mark, kChargeBytesMax) >= bound;
}

int WriteCounter(const Counters& counters, Counter counter, const char* text) {
  if (counters.fds[counter] < 0) return -ENOENT;
  const long written = sys::Write(counters.fds[counter], text, Length(text));
  return written < 0 ? (int)written : 0;
}

namespace {

bool IsSpared(const Spared& spared, uint64_t pid) {
  for (unsigned i = 0; i < spared.count; ++i)
    if ((uint64_t)spared.pids[i] == pid) return true;
  return false;
}

// The same file once more: v1 answers from the list that the first look through an open file has made, as
// long as somebody looks again within a second. It would name processes that have moved on, and miss new
// ones. Not through the group's folder, which would be a way out of the sandbox as long as it was open.
int OpenAnew(int file, int proc) {
  if (proc < 0) return Reopen(file, O_RDONLY);
  Text<32> path;
  path << "self/fd/" << (uint64_t)file;
  return sys::Open(proc, path.text(), O_RDONLY);
}

}  // namespace

unsigned SignalGroup(const Counters& counters, int signal, const Spared& spared, int proc) {
  const Fd list(OpenAnew(counters.fds[kCounterProcs], proc));
  const char* text = ReadText(list.get());
  unsigned count = 0;
  while (text != nullptr && *text != '\0') {
    const uint64_t pid = ParseNumber(text);
    while (*text != '\0' && *text != '\n') ++text;
    if (*text == '\0') break;  // cut by the reading: not the number it seems; the next look finds it
    ++text;
    // 0 stands for a process outside of our namespace (the keeper), 1 is init.
    if (pid > 1 && pid <= INT32_MAX && !IsSpared(spared, pid) && sys::Kill((int)pid, signal) == 0) ++count;
  }
  return count;
}

}  // namespace sbx
