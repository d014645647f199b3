// Texts of cgroup files, against a second reader that is written for being right alone.
#include "../helper/counters.h"

#include <string>

#include "events.h"
#include "kernel.h"
#include "target.h"

namespace sbx::fuzz {
namespace {

constexpr int kFile = 0;
constexpr size_t kReadMax = 8191;

// The number that `text` begins with.
uint64_t NumberOf(const std::string& text) {
  const std::string digits = text.substr(0, text.find_first_not_of("0123456789"));
  const size_t first = digits.find_first_not_of('0');
  if (digits.empty()) return kUnknown;
  if (first == std::string::npos) return 0;
  const std::string figures = digits.substr(first), most = "18446744073709551615";
  if (figures.size() > most.size() || (figures.size() == most.size() && figures > most)) return kUnknown;
  return std::stoull(figures);
}

uint64_t Behind(const std::string& text, const std::string& key) {
  for (size_t line = 0; line < text.size();) {
    if (text.compare(line, key.size(), key) == 0) return NumberOf(text.substr(line + key.size()));
    const size_t end = text.find('\n', line);
    if (end == std::string::npos) break;
    line = end + 1;
  }
  return kUnknown;
}

uint64_t CpuNs(const std::string& text) {
  if (!text.empty() && text[0] >= '0' && text[0] <= '9') return NumberOf(text);
  const uint64_t microseconds = Behind(text, "usage_usec ");
  return microseconds == kUnknown ? kUnknown : microseconds * 1000;
}

// All counters are one file here, so what is held is the number that it begins with.
uint64_t Caches(const std::string& text, uint64_t heldBefore) {
  using Wide = unsigned __int128;
  const bool whole = Behind(text, "total_cache ") != kUnknown;
  const uint64_t files = Behind(text, whole ? "total_cache " : "file "),
                 shared = Behind(text, whole ? "total_shmem " : "shmem ");
  if (files == kUnknown || shared == kUnknown || shared > files) return 0;
  const uint64_t pages = files - shared, held = NumberOf(text), rss = Behind(text, "total_rss ");
  uint64_t names = Behind(text, "slab_reclaimable ");
  if (whole) {
    const Wide others = (Wide)files + rss + heldBefore;
    names = held != kUnknown && rss != kUnknown && others < held ? held - (uint64_t)others : 0;
  }
  if (names == kUnknown) return pages;
  return (Wide)pages + names > kUnknown ? kUnknown : pages + names;
}

void Run(const std::string& input) {
  StartKernel(Join({{kText, input}}), kFile);
  Counters counters = {};
  std::string text = input.substr(0, kReadMax);
  text = text.substr(0, text.find('\0'));
  TakeText();
  if (ReadCpuNs(counters) != CpuNs(text)) Wrong("CPU time is read wrongly");
  if (ReadNumber(counters, kCounterMemoryNow) != NumberOf(text)) Wrong("a number is read wrongly");
  const MemoryEvents events = ReadMemoryEvents(counters);
  if (events.oomKills != Behind(text, "oom_kill ")) Wrong("kills are read wrongly");
  if (events.timesFull != Behind(text, "max ")) Wrong("how often it was full is read wrongly");
  for (const uint64_t heldBefore : {uint64_t{0}, uint64_t{100}, kUnknown})
    if (ReadCaches(counters, heldBefore) != Caches(text, heldBefore)) Wrong("caches are read wrongly");
  (void)SignalGroup(counters, 0, {}, -1);
  StopKernel();
}

std::vector<std::string> Seeds() {
  return {"12345\n", "usage_usec 1500\nuser_usec 1000\n", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n",
      "anon 5\nfile 1000\nshmem 250\nslab_reclaimable 70\n",
      "9000\ntotal_cache 1000\ntotal_rss 2000\ntotal_shmem 400\n",
      "cache 10\ntotal_cache 1000\ntotal_shmem 400\n", "2\n3\n18446744073709551615\n", "max\n"};
}

}  // namespace

constinit const Target kCountersTarget = {"counters", Run, Seeds, false};

}  // namespace sbx::fuzz
