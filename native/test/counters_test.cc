#include "../helper/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "../common/fd.h"
#include "folders.h"
#include "test.h"

namespace sbx::test {
namespace {

Fd FileWith(const std::string& text) {
  Fd file(memfd_create("counter", MFD_CLOEXEC));
  if (write(file.get(), text.data(), text.size()) != (ssize_t)text.size()) file.reset();
  return file;
}

// One counter that is the given file; all others are missing.
Counters Only(Counter counter, const Fd& file) {
  Counters counters = {};
  for (int& fd : counters.fds) fd = -1;
  counters.fds[counter] = file.get();
  return counters;
}

template <typename Result>
Result ReadWith(Counter counter, const std::string& text, Result (*read)(const Counters&)) {
  const Fd file = FileWith(text);
  return read(Only(counter, file));
}

uint64_t Cpu(const std::string& text) { return ReadWith(kCounterCpu, text, ReadCpuNs); }
uint64_t Kills(const std::string& text) {
  return ReadWith(kCounterMemoryEvents, text, ReadMemoryEvents).oomKills;
}
uint64_t TimesFull(const std::string& text) {
  return ReadWith(kCounterOomNotice, text, ReadMemoryEvents).timesFull;
}
uint64_t Cache(const std::string& stat, const std::string& held = "", uint64_t heldBefore = 0) {
  const Fd statFile = FileWith(stat), heldFile = FileWith(held);
  Counters counters = Only(kCounterMemoryStat, statFile);
  counters.fds[kCounterMemoryNow] = heldFile.get();
  return ReadCaches(counters, heldBefore);
}
uint64_t Number(const std::string& text) {
  const Fd file = FileWith(text);
  return ReadNumber(Only(kCounterMemoryPeak, file), kCounterMemoryPeak);
}

const std::string kGarbage[] = {"", "\n", "\n\n\n", " ", "max\n", "-1\n", "garbage", std::string(1, '\0'),
    std::string("\xff\xfe\x00usage_usec 5", 15), "usage_usec", "usage_usec \n", "oom_kill\n", "oom_kill x\n",
    "total_cache \n"};

TEST("CPU time is a number of nanoseconds in v1") {
  EXPECT_EQ(Cpu("123456789\n"), 123456789u);
  EXPECT_EQ(Cpu("0\n"), 0u);
  EXPECT_EQ(Cpu("18446744073709551614"), 18446744073709551614u);
}

TEST("CPU time is a line in microseconds in v2") {
  EXPECT_EQ(Cpu("usage_usec 1500\nuser_usec 1000\nsystem_usec 500\nnr_periods 0\n"), 1'500'000u);
  EXPECT_EQ(Cpu("user_usec 1000\nusage_usec 7\n"), 7'000u);
  EXPECT_EQ(Cpu("user_usec 1000\nxusage_usec 7\n"), kUnknown);
}

TEST("OOM kills are found in memory.oom_control and memory.events") {
  EXPECT_EQ(Kills("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n"), 3u);
  EXPECT_EQ(Kills("low 0\nhigh 0\nmax 12\noom 4\noom_kill 2\noom_group_kill 1\n"), 2u);
  EXPECT_EQ(Kills("oom_kill_disable 0\nunder_oom 1\n"), kUnknown);
  EXPECT_EQ(TimesFull("low 0\nhigh 0\nmax 12\noom 4\noom_kill 2\noom_group_kill 1\n"), 12u);
}

TEST("file cache is cache less shared memory in v1, of the whole tree") {
  EXPECT_EQ(
      Cache("cache 10\nrss 20\nshmem 4\nmapped_file 1\ntotal_cache 1000\ntotal_rss 9\ntotal_shmem 400\n"),
      600u);
  EXPECT_EQ(Cache("total_cache 400\ntotal_shmem 400\n"), 0u);
}

TEST("file cache is file less shmem in v2") {
  EXPECT_EQ(
      Cache("anon 5\nfile 1000\nkernel 3\nshmem 250\nfile_mapped 7\nfile_dirty 1\nshmem_thp 0\n"), 750u);
}

TEST("names and inodes are reclaimable slab in v2") {
  EXPECT_EQ(Cache("file 1000\nshmem 250\nslab_reclaimable 70\nslab_unreclaimable 9\n", "5000\n"), 820u);
}

TEST("names and inodes are what is neither pages nor was there before in v1") {
  const std::string stat = "total_cache 1000\ntotal_rss 2000\ntotal_shmem 400\n";
  EXPECT_EQ(Cache(stat, "9000\n", 500), 600u + 5500u);
  EXPECT_EQ(Cache(stat, "3500\n", 500), 600u);
  EXPECT_EQ(Cache(stat, "3000\n", 500), 600u);  // figures that are a little apart in time
  EXPECT_EQ(Cache(stat, "9000\n", kUnknown), 600u);
  EXPECT_EQ(Cache("total_cache 1000\ntotal_shmem 400\n", "9000\n", 500), 600u);
}

TEST("file cache is 0 when half of it is missing or makes no sense") {
  EXPECT_EQ(Cache("file 1000\n"), 0u);
  EXPECT_EQ(Cache("shmem 1000\n"), 0u);
  EXPECT_EQ(Cache("file 100\nshmem 1000\n"), 0u);
  EXPECT_EQ(Cache("total_cache 100\n"), 0u);
}

TEST("plain numbers are read; words are unknown") {
  EXPECT_EQ(Number("4096\n"), 4096u);
  EXPECT_EQ(Number("0"), 0u);
  EXPECT_EQ(Number("max\n"), kUnknown);
  EXPECT_EQ(Number("-1\n"), kUnknown);
}

TEST("garbage and empty files give nothing") {
  for (const std::string& text : kGarbage) {
    EXPECT_EQ(Cpu(text), kUnknown);
    EXPECT_EQ(Kills(text), kUnknown);
    EXPECT_EQ(TimesFull(text), kUnknown);
    EXPECT_EQ(Number(text), kUnknown);
    EXPECT_EQ(Cache(text), 0u);
  }
}

TEST("a number that would not fit is unknown, never a small one") {
  EXPECT_EQ(Number("18446744073709551616\n"), kUnknown);  // 2^64
  EXPECT_EQ(Number("99999999999999999999999999\n"), kUnknown);
}

TEST("huge files are read up to a bound") {
  std::string lines;
  while (lines.size() < 1 << 20) lines += "some_figure 1\n";
  EXPECT_EQ(Cpu("usage_usec 2\n" + lines), 2'000u);
  EXPECT_EQ(Cpu(lines + "usage_usec 2\n"), kUnknown);
  EXPECT_EQ(Cpu(std::string(1 << 20, 'x')), kUnknown);
}

bool MetBound(const std::string& bound, const std::string& mark) {
  const Fd boundFile = FileWith(bound), markFile = FileWith(mark);
  Counters counters = Only(kCounterMemoryLimit, boundFile);
  counters.fds[kCounterMemoryPeak] = markFile.get();
  return HasMetBound(counters);
}

TEST("a group has met its bound when its mark is as near as the kernel charges at once") {
  constexpr uint64_t kBound = 64 << 20, kCharge = 32 << 10;
  const std::string bound = std::to_string(kBound) + "\n";
  for (const uint64_t mark : {kBound - kCharge, kBound, kBound + 4096})
    EXPECT(MetBound(bound, std::to_string(mark)));
  EXPECT(!MetBound(bound, std::to_string(kBound - kCharge - 1)));
  EXPECT(MetBound(bound, "18446744073709551614\n"));  // more than all there is
  EXPECT(!MetBound("max\n", bound));
  EXPECT(!MetBound(bound, ""));
}

TEST("where notices come as events nothing tells how often a group was full") {
  const Fd file = FileWith("max 12\noom_kill 3\n");
  Counters counters = Only(kCounterOomNotice, file);
  counters.fds[kCounterMemoryEvents] = file.get();
  EXPECT_EQ(ReadMemoryEvents(counters).timesFull, 12u);
  counters.oomEventfd = true;
  EXPECT_EQ(ReadMemoryEvents(counters).timesFull, kUnknown);
  EXPECT_EQ(ReadMemoryEvents(counters).oomKills, 3u);
}

TEST("a missing or unreadable file is unknown") {
  Fd missing;
  EXPECT_EQ(ReadCpuNs(Only(kCounterCpu, missing)), kUnknown);
  EXPECT_EQ(ReadMemoryEvents(Only(kCounterMemoryEvents, missing)).oomKills, kUnknown);
  EXPECT_EQ(ReadCaches(Only(kCounterMemoryStat, missing), 0), 0u);
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);  // cannot be read at an offset
  const Fd reading(ends[0]), writing(ends[1]);
  EXPECT_EQ(ReadCpuNs(Only(kCounterCpu, reading)), kUnknown);
}

TEST("a counter is read from its start each time") {
  const Fd file = FileWith("41\n");
  const Counters counters = Only(kCounterTaskPeak, file);
  EXPECT_EQ(ReadNumber(counters, kCounterTaskPeak), 41u);
  REQUIRE(pwrite(file.get(), "42\n", 3, 0) == 3);
  EXPECT_EQ(ReadNumber(counters, kCounterTaskPeak), 42u);
}

TEST("writing a counter sends the text as it is") {
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  const Fd reading(ends[0]), writing(ends[1]);
  EXPECT_EQ(WriteCounter(Only(kCounterTaskLimit, writing), kCounterTaskLimit, "64"), 0);
  char buffer[16];
  REQUIRE(read(reading.get(), buffer, sizeof(buffer)) == 2);
  EXPECT_EQ(std::string(buffer, 2), std::string("64"));
}

TEST("writing where there is no file, or none to write, gives the error") {
  Fd missing;
  EXPECT_EQ(WriteCounter(Only(kCounterTaskLimit, missing), kCounterTaskLimit, "64"), -ENOENT);
  const Fd readOnly(open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(WriteCounter(Only(kCounterTaskLimit, readOnly), kCounterTaskLimit, "64"), -EBADF);
}

// A child that waits to be killed.
pid_t Sleeper() {
  const pid_t child = fork();
  if (child == 0)
    for (;;) pause();
  return child;
}

int EndOf(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

unsigned SignalListed(const std::string& procs, int signal, const Spared& spared = {}, int proc = -1) {
  const Folder group;
  const Fd file(open(group.path("cgroup.procs").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  EXPECT_EQ(sys::Write(file.get(), procs.data(), procs.size()), (long)procs.size());
  Counters counters = Only(kCounterProcs, Fd());
  counters.fds[kCounterProcs] = file.get();
  return SignalGroup(counters, signal, spared, proc);
}

TEST("every process of a group is signalled, and none that is not listed") {
  const pid_t first = Sleeper(), second = Sleeper(), other = Sleeper();
  EXPECT_EQ(SignalListed(std::to_string(first) + "\n" + std::to_string(second) + "\n", SIGTERM), 2u);
  EXPECT_EQ(EndOf(first), SIGTERM);
  EXPECT_EQ(EndOf(second), SIGTERM);
  EXPECT_EQ(kill(other, SIGKILL), 0);
  EXPECT_EQ(EndOf(other), SIGKILL);
}

TEST("spared processes are passed over and not counted") {
  const pid_t spared = Sleeper(), other = Sleeper();
  Spared list;
  list.pids[list.count++] = spared;
  EXPECT_EQ(SignalListed(std::to_string(spared) + "\n" + std::to_string(other) + "\n", SIGTERM, list), 1u);
  EXPECT_EQ(EndOf(other), SIGTERM);
  EXPECT_EQ(kill(spared, SIGKILL), 0);
  EXPECT_EQ(EndOf(spared), SIGKILL);
}

TEST("the list of a group is found through a /proc that is attached nowhere, too") {
  const Fd proc(open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC)), other(open("/", O_PATH | O_CLOEXEC));
  const std::string self = std::to_string(getpid()) + "\n";
  EXPECT_EQ(SignalListed(self, 0, {}, proc.get()), 1u);
  EXPECT_EQ(SignalListed(self, 0, {}, other.get()), 0u);  // nothing is there
}

// Signal 0 only asks, so nobody is hurt if these got through.
TEST("init and processes of other namespaces are never signalled") {
  EXPECT_EQ(SignalListed("0\n1\n0\n", 0), 0u);
  EXPECT_EQ(SignalListed("", 0), 0u);
  EXPECT_EQ(SignalListed("garbage\n\n-1\n", 0), 0u);
}

TEST("numbers that are no process ids are never signalled, however they wrap") {
  EXPECT_EQ(SignalListed("4294967295\n", 0), 0u);  // -1: everybody
  EXPECT_EQ(SignalListed("4294967296\n", 0), 0u);  // 0: our own group
  EXPECT_EQ(SignalListed("2147483648\n", 0), 0u);
}

// The kernel hands out what fits; the last number may be the beginning of another process's.
TEST("a number that the reading cut in two is left alone") {
  const pid_t self = getpid();
  const std::string line = std::to_string(self) + "\n", longer = std::to_string(self) + "9999\n";
  std::string procs;
  while (procs.size() + line.size() < 8191 - std::to_string(self).size()) procs += "\n";
  procs.resize(8191 - std::to_string(self).size(), '\n');
  EXPECT_EQ(SignalListed(procs + longer, 0), 0u);
}

}  // namespace
}  // namespace sbx::test
