#include "../helper/launch.h"

#include <errno.h>
#include <unistd.h>

#include "messages.h"
#include "test.h"

namespace sbx::test {
namespace {

// A start written by hand: what the addon would send, from a second writer.
struct StartMessage {
  StartRecord record = {};
  std::vector<std::string> paths = {"/bin/cat", "/usr/bin/cat"}, args = {"cat", "-n", ""},
                           env = {"A=1", "B="};
  std::string cwd = "/w";
  std::vector<std::string> writes = {"1048576", "0"};

  std::string Bytes() const {
    StartRecord sent = record;
    Strings strings(sizeof(sent));
    sent.cwd = strings.Add(cwd);
    sent.writeCount = (uint32_t)writes.size();
    for (size_t i = 0; i < writes.size() && i < kWritesMax; ++i)
      sent.writes[i] = {kCounterMemoryLimit, 0, strings.Add(writes[i])};
    sent.strings = (uint32_t)(sizeof(sent) + strings.bytes().size());
    sent.pathCount = (uint32_t)paths.size();
    sent.argCount = (uint32_t)args.size();
    sent.envCount = (uint32_t)env.size();
    for (const auto* list : {&paths, &args, &env})
      for (const std::string& text : *list) (void)strings.Add(text);
    sent.size = (uint32_t)(sizeof(sent) + strings.bytes().size());
    return BytesOf(sent) + strings.bytes();
  }
};

// Two descriptors sent, one of /dev/null between them, one group to join, two counters: five beside the
// message.
StartMessage Usual() {
  StartMessage message;
  message.record.flags = kStartOwnGroup;
  message.record.programId = 7;
  message.record.fdCount = 3;
  message.record.fds[0] = {0, 0};
  message.record.fds[1] = {1, kFdNull};
  message.record.fds[2] = {kProgramFdNumberMax, kFdHold};
  message.record.joinCount = 1;
  message.record.counterMask = 1U << kCounterCpu | 1U << kCounterProcs;
  return message;
}
constexpr unsigned kUsualFds = 5;

// Parses a message as init would, and owns what a parsed launch owns.
class Parsed {
 public:
  Parsed(const std::string& bytes, unsigned fdCount, unsigned firstFd = 0, size_t tableSize = kStringsMax)
      : message_(bytes), tables_(new const char*[tableSize]), null_(open("/dev/null", O_RDWR | O_CLOEXEC)) {
    Attach(received_, fdCount);
    failure = ParseStart(
        message_.data(), message_.size(), received_, firstFd, null_.get(), tables_.get(), tableSize, launch);
  }
  ~Parsed() {
    // A refused message owns no counters: whoever parsed it could not know which of them were taken.
    if (failure) return;
    for (const int fd : launch.counters.fds)
      if (fd >= 0) close(fd);
  }

  bool Inside(const char* text) const {
    return text >= message_.data() && text < message_.data() + message_.size();
  }
  const Received& received() const { return received_; }

  Failure failure;
  Launch launch = {};

 private:
  Block message_;
  std::unique_ptr<const char*[]> tables_;
  Fd null_;
  Received received_;
};

std::vector<std::string> List(const char** strings) {
  std::vector<std::string> list;
  for (; *strings != nullptr; ++strings) list.push_back(*strings);
  return list;
}

void ExpectRefused(const std::string& bytes, int index, unsigned fdCount = kUsualFds) {
  const Parsed parsed(bytes, fdCount);
  EXPECT_EQ(parsed.failure.error, EPROTO);
  EXPECT(parsed.failure.stage == Stage::k_plan);
  EXPECT_EQ(parsed.failure.index, index);
}

std::string With(void (*change)(StartRecord&)) {
  const std::string bytes = Usual().Bytes();
  StartRecord record;
  memcpy(&record, bytes.data(), sizeof(record));
  change(record);
  return BytesOf(record) + bytes.substr(sizeof(record));
}

TEST("a sound start is taken apart") {
  const Parsed parsed(Usual().Bytes(), kUsualFds);
  REQUIRE(!parsed.failure);
  const Launch& launch = parsed.launch;
  EXPECT_EQ(std::string(launch.cwd), std::string("/w"));
  EXPECT(List(launch.paths) == Usual().paths);
  EXPECT(List(launch.args) == Usual().args);
  EXPECT(List(launch.env) == Usual().env);
  EXPECT(launch.fds[0] && launch.fds[1] && launch.fds[2] && !launch.fds[3]);
  EXPECT(launch.joins[0] && !launch.joins[1]);
  for (int counter = 0; counter < kCounterCount; ++counter)
    EXPECT_EQ(launch.counters.fds[counter] >= 0, counter == kCounterCpu || counter == kCounterProcs);
}

TEST("descriptors before the first are left alone") {
  const Parsed parsed(Usual().Bytes(), kUsualFds + 2, 2);
  REQUIRE(!parsed.failure);
  EXPECT(parsed.received().fds[0] && parsed.received().fds[1] && !parsed.received().fds[2]);
}

TEST("every copy of /dev/null for a program closes on exec") {
  const Parsed parsed(Usual().Bytes(), kUsualFds);
  REQUIRE(!parsed.failure);
  EXPECT_EQ(fcntl(parsed.launch.fds[1].get(), F_GETFD), FD_CLOEXEC);
}

TEST("a start cut at any byte is refused") {
  const std::string whole = Usual().Bytes();
  for (size_t size = 0; size < whole.size(); ++size) ExpectRefused(whole.substr(0, size), 0);
}

// As above, but the record says the size it now has: strings run out instead.
TEST("a start cut at any byte that admits it is refused") {
  const std::string whole = Usual().Bytes();
  for (size_t size = sizeof(StartRecord); size < whole.size(); ++size) {
    StartRecord record;
    memcpy(&record, whole.data(), sizeof(record));
    record.size = (uint32_t)size;
    const Parsed parsed(BytesOf(record) + whole.substr(sizeof(record), size - sizeof(record)), kUsualFds);
    EXPECT_EQ(parsed.failure.error, EPROTO);
  }
}

TEST("a start without its last NUL is refused") {
  std::string bytes = Usual().Bytes();
  bytes.back() = 'x';
  ExpectRefused(bytes, 0);
}

TEST("offsets out of range are refused") {
  ExpectRefused(With([](StartRecord& record) { record.cwd = record.size; }), 0);
  ExpectRefused(With([](StartRecord& record) { record.cwd = 0xffffffff; }), 0);
  ExpectRefused(With([](StartRecord& record) { record.strings = record.size; }), 0);
  ExpectRefused(With([](StartRecord& record) { record.strings = 0xffffffff; }), 0);
  ExpectRefused(With([](StartRecord& record) { ++record.size; }), 0);
}

TEST("counts too big are refused") {
  ExpectRefused(With([](StartRecord& record) { record.fdCount = kProgramFdsMax + 1; }), 0);
  ExpectRefused(With([](StartRecord& record) { record.joinCount = kJoinsMax + 1; }), 0);
  ExpectRefused(With([](StartRecord& record) { record.writeCount = kWritesMax + 1; }), 0);
  ExpectRefused(With([](StartRecord& record) { record.rlimitCount = kRlimitsMax + 1; }), 0);
  ExpectRefused(With([](StartRecord& record) { record.envCount = 0xffffffff; }), 0);
  ExpectRefused(
      With([](StartRecord& record) { record.pathCount = record.argCount = record.envCount = 0x55555556; }),
      0);
  ExpectRefused(With([](StartRecord& record) { record.envCount += 1; }), 1);
  ExpectRefused(With([](StartRecord& record) { record.pathCount += 100; }), 1);
}

TEST("a start with nothing to execute is refused") {
  ExpectRefused(With([](StartRecord& record) { record.pathCount = 0; }), 0);
  ExpectRefused(With([](StartRecord& record) { record.argCount = 0; }), 0);
}

TEST("strings fill the table to its last place and no further") {
  const size_t strings = 2 + 3 + 2;
  EXPECT(!Parsed(Usual().Bytes(), kUsualFds, 0, strings + 3).failure);
  EXPECT(Parsed(Usual().Bytes(), kUsualFds, 0, strings + 2).failure);
}

TEST("descriptor numbers above the highest are refused") {
  ExpectRefused(With([](StartRecord& record) { record.fds[2].target = kProgramFdNumberMax + 1; }), 2);
  ExpectRefused(With([](StartRecord& record) { record.fds[0].target = 0xffff; }), 2);
}

TEST("files that init makes need no descriptor, and are none before it has") {
  StartMessage message = Usual();
  message.record.flags = kStartOneShot | kStartOwnGroup;
  message.record.contentCount = message.record.outputCount = 1;
  message.record.fds[0] = {0, kFdContent, 0};
  message.record.fds[2] = {2, kFdOutput, 0};
  const Parsed parsed(message.Bytes(), kUsualFds - 2);
  REQUIRE(!parsed.failure);
  EXPECT(!parsed.launch.fds[0] && parsed.launch.fds[1] && !parsed.launch.fds[2]);
}

TEST("files that there are not, too many, or in a sandbox of others are refused") {
  const auto files = [](uint32_t contents, uint32_t outputs, FdRow row,
                         uint32_t flags = kStartOneShot | kStartOwnGroup) {
    StartMessage message = Usual();
    message.record.flags = flags;
    message.record.contentCount = contents;
    message.record.outputCount = outputs;
    message.record.fds[0] = row;
    return message.Bytes();
  };
  ExpectRefused(files(0, 1, {0, kFdContent, 0}), 6);
  ExpectRefused(files(1, 0, {0, kFdOutput, 0}), 6);
  ExpectRefused(files(2, 2, {0, kFdContent, 2}), 6);
  ExpectRefused(files(kContentsMax + 1, 0, {0, kFdContent, 0}), 0);
  ExpectRefused(files(0, kOutputsMax + 1, {0, kFdOutput, 0}), 0);
  ExpectRefused(files(1, 0, {0, kFdContent, 0}, kStartOwnGroup), 0);
  ExpectRefused(files(0, 1, {0, kFdOutput, 0}, kStartOwnGroup), 0);
}

TEST("a folder as a descriptor is refused") {
  const Block message(Usual().Bytes());
  Received received;
  Attach(received, kUsualFds);
  received.fds[1].reset(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const Fd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  const char* tables[16];
  Launch launch = {};
  const Failure failure =
      ParseStart(message.data(), message.size(), received, 0, null.get(), tables, 16, launch);
  EXPECT(failure.stage == Stage::k_plan);
  EXPECT_EQ(failure.error, EISDIR);
}

TEST("a family that there is not is refused") {
  ExpectRefused(With([](StartRecord& record) { record.family = (uint32_t)CallFamily::kCount + 1; }), 0);
}

TEST("too few descriptors are refused, and those that came are closed") {
  for (unsigned count = 0; count < kUsualFds; ++count)
    ExpectRefused(Usual().Bytes(), count < 2 ? 3 : count < 3 ? 4 : 5, count);
}

TEST("200,000 damaged starts neither crash nor leak") {
  const std::string sound = Usual().Bytes();
  Mutator mutator(20240229);
  const size_t before = OpenDescriptors();
  unsigned accepted = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string bytes = mutator.Mutate(sound);
    // Half of them say the size they have, to get past the first check.
    const auto size = (uint32_t)bytes.size();
    if (size >= sizeof(StartRecord) && mutator.Below(2) == 0)
      memcpy(bytes.data() + offsetof(StartRecord, size), &size, sizeof(size));
    const Parsed parsed(bytes, mutator.Below(8));
    if (parsed.failure) continue;
    ++accepted;
    EXPECT(parsed.Inside(parsed.launch.cwd));
    for (const char** list : {parsed.launch.paths, parsed.launch.args, parsed.launch.env})
      for (; *list != nullptr; ++list) EXPECT(parsed.Inside(*list) && parsed.Inside(*list + strlen(*list)));
    if (i % 1000 == 0 && OpenDescriptors() > before + 200)
      return Fail(__FILE__, __LINE__, "descriptors leak");
  }
  EXPECT(accepted > 1000);  // else the damage was too great to test much
}

}  // namespace
}  // namespace sbx::test
