#include "../helper/bounds.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test.h"

namespace sbx::test {
namespace {

constexpr uint64_t KiB = 1024, MiB = 1024 * KiB;
constexpr uint64_t kLimit = 64 * MiB, kHeld = 700 * KiB, kDue = kLimit + kHeld;

// A group whose files are memory files: what is written comes behind what was there.
struct Group {
  Fd memory, swap, tasks;
  Counters counters = {};

  Group(const std::string& memoryText, const std::string& swapText)
      : memory(FileWith(memoryText)), swap(FileWith(swapText)), tasks(FileWith("")) {
    for (int& fd : counters.fds) fd = -1;
    counters.fds[kCounterMemoryLimit] = memory.get();
    counters.fds[kCounterSwapLimit] = swap.get();
    counters.fds[kCounterTaskLimit] = tasks.get();
  }

  static Fd FileWith(const std::string& text) {
    Fd file(memfd_create("limit", MFD_CLOEXEC));
    if (write(file.get(), text.data(), text.size()) != (ssize_t)text.size()) file.reset();
    return file;
  }

  static std::string TextOf(const Fd& file) {
    char text[256];
    const ssize_t size = pread(file.get(), text, sizeof(text), 0);
    return std::string(text, size < 0 ? 0 : (size_t)size);
  }
};

Program Holding(uint64_t bytes) {
  Program program;
  program.memoryBase = bytes;
  return program;
}

Failure Bound(const Counters& counters, Program program, const StartRecord& record, const char* message) {
  return BoundGroup(counters, program, record, message);
}

StartRecord OneShot() {
  StartRecord record = {};
  record.flags = kStartOneShot;
  record.memoryLimitBytes = kLimit;
  return record;
}

const std::string kBound = std::to_string(kDue);

TEST("a bound in force stays while it is due or a little above") {
  for (const uint64_t above : {0 * KiB, 4 * KiB, 768 * KiB}) {
    const std::string now = std::to_string(kDue + above) + "\n";
    const Group group(now, now);
    EXPECT(!Bound(group.counters, Holding(kHeld), OneShot(), ""));
    EXPECT_EQ(Group::TextOf(group.memory), now);
    EXPECT_EQ(Group::TextOf(group.swap), now);
  }
}

TEST("a bound that is too low or much too high is moved, and with v1 that of swap as well") {
  for (const uint64_t other : {kDue - 4 * KiB, kDue + 772 * KiB}) {
    const std::string now = std::to_string(other) + "\n";
    const Group v1(now, now), v2(now, "0\n");
    EXPECT(!Bound(v1.counters, Holding(kHeld), OneShot(), ""));
    EXPECT(!Bound(v2.counters, Holding(kHeld), OneShot(), ""));
    EXPECT_EQ(Group::TextOf(v1.memory), now + kBound);
    EXPECT_EQ(Group::TextOf(v1.swap), now + kBound);
    EXPECT_EQ(Group::TextOf(v2.memory), now + kBound);
    EXPECT_EQ(Group::TextOf(v2.swap), "0\n");
  }
}

TEST("what is asked for is written, memory with what the group holds, in whole pages") {
  const std::string limit = std::to_string(kLimit), message = limit + '\0' + "-1" + '\0' + limit;
  StartRecord record = OneShot();
  record.size = (uint32_t)message.size() + 1;
  record.writeCount = 4;
  record.writes[0] = {kCounterSwapLimit, 1, (uint32_t)limit.size() + 1};
  record.writes[1] = {kCounterMemoryLimit, 0, 0};
  record.writes[2] = {kCounterSwapLimit, 1, 0};
  record.writes[3] = {kCounterTaskLimit, 0, 0};  // the same number by chance
  for (const uint64_t held : {kHeld - 1, kHeld - 4095}) {
    const Group group("", "");
    EXPECT(!Bound(group.counters, Holding(held), record, message.c_str()));
    EXPECT_EQ(Group::TextOf(group.memory), kBound);
    EXPECT_EQ(Group::TextOf(group.swap), "-1" + kBound);
    EXPECT_EQ(Group::TextOf(group.tasks), limit);
  }
}

TEST("in a session, and where the kernel says nothing, the limit is as asked for") {
  const std::string limit = std::to_string(kLimit + 1);  // not in whole pages
  StartRecord record = OneShot(), session = OneShot();
  session.flags = 0;
  for (StartRecord* each : {&record, &session}) {
    each->memoryLimitBytes = kLimit + 1;
    each->size = (uint32_t)limit.size() + 1;
    each->writeCount = 1;
    each->writes[0] = {kCounterMemoryLimit, 0, 0};
  }
  const Group unknown("", ""), inSession("", "");
  EXPECT(!Bound(unknown.counters, Holding(kUnknown), record, limit.c_str()));
  EXPECT(!Bound(inSession.counters, Holding(kHeld), session, limit.c_str()));
  EXPECT_EQ(Group::TextOf(unknown.memory), limit);
  EXPECT_EQ(Group::TextOf(inSession.memory), limit);
}

TEST("what is in force stays in a session, without a limit, and where nothing says what the group holds") {
  StartRecord session = OneShot(), unlimited = OneShot();
  session.flags = 0;
  unlimited.memoryLimitBytes = 0;
  const std::string now = "9223372036854771712\n";  // none, as v1 has it
  for (const auto& [record, held] : {std::pair(session, kHeld), {unlimited, kHeld}, {OneShot(), kUnknown}}) {
    const Group group(now, now);
    EXPECT(!Bound(group.counters, Holding(held), record, ""));
    EXPECT_EQ(Group::TextOf(group.memory), now);
    EXPECT_EQ(Group::TextOf(group.swap), now);
  }
}

TEST("rows that name no counter, or no text of the message, are refused") {
  for (const WriteRow row : {WriteRow{kCounterCount, 0, 0}, WriteRow{kCounterMemoryLimit, 0, 8}}) {
    StartRecord record = OneShot();
    record.size = 8;
    record.writeCount = 1;
    record.writes[0] = row;
    const Group group("", "");
    EXPECT_EQ(Bound(group.counters, Holding(0), record, "").error, EPROTO);
  }
}

TEST("a limit that cannot be written is told, but for optional ones") {
  const std::string limit = std::to_string(kLimit);
  Counters none = {};
  for (int& fd : none.fds) fd = -1;
  StartRecord record = OneShot();
  record.size = (uint32_t)limit.size() + 1;
  record.writeCount = 1;
  record.writes[0] = {kCounterSwapLimit, 1, 0};
  EXPECT(!Bound(none, Holding(0), record, limit.c_str()));
  record.writes[0] = {kCounterMemoryLimit, 0, 0};
  const Failure failure = Bound(none, Holding(0), record, limit.c_str());
  EXPECT_EQ(failure.error, ENOENT);
  EXPECT(failure.stage == Stage::k_cgroupWrite);
}

}  // namespace
}  // namespace sbx::test
