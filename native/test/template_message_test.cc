#include "../helper/template_message.h"

#include "messages.h"
#include "test.h"

namespace sbx::test {
namespace {

constexpr unsigned kParents = 3;

struct TemplateMessage {
  TemplateRecord record;
  std::vector<MountRow> rows;
  std::vector<struct sock_filter> policy;
  std::string tail;

  std::string Bytes() const {
    std::string bytes = BytesOf(record);
    for (const MountRow& row : rows) bytes += BytesOf(row);
    for (const struct sock_filter& instruction : policy) bytes += BytesOf(instruction);
    return bytes + tail;
  }
};

TemplateMessage Usual(unsigned rowCount = 2, unsigned policyLength = 3) {
  TemplateMessage message = {};
  message.policy.resize(policyLength);
  message.record.policyLength = policyLength;
  Strings strings(
      sizeof(TemplateRecord) + rowCount * sizeof(MountRow) + policyLength * sizeof(struct sock_filter));
  message.record.hostname = strings.Add("sandbox");
  message.record.domainname = strings.Add("(none)");
  message.record.workDir = strings.Add("/w");
  message.record.cgroupName = strings.Add("sbx-1-2");
  message.record.cgroupParentCount = kParents;
  message.record.mountCount = rowCount;
  for (unsigned i = 0; i < rowCount; ++i) {
    MountRow row = {};
    row.kind = MountKind::kBind;
    row.source = strings.Add("/usr");
    row.target = strings.Add("usr");
    message.rows.push_back(row);
  }
  message.tail = strings.bytes();
  return message;
}

bool Sound(const std::string& bytes, unsigned fdCount = kParents, bool truncated = false) {
  const Block block(bytes);
  Received received;
  received.size = (long)block.size();
  received.truncated = truncated;
  Attach(received, fdCount);
  return TemplateIsSound(received, block.data());
}

std::string With(void (*change)(TemplateMessage&)) {
  TemplateMessage message = Usual();
  change(message);
  return message.Bytes();
}

TEST("a sound template is believed, with rows and without") {
  EXPECT(Sound(Usual().Bytes()));
  EXPECT(Sound(Usual(0).Bytes()));
  EXPECT(Sound(Usual(kMountRowsMax).Bytes()));
}

TEST("a template cut at any byte of its record, its rows or a string is refused") {
  const std::string whole = Usual().Bytes();
  // Cut there, the message ends with the NUL of the string before.
  const size_t lastString = whole.size() - 4;
  for (size_t size = 0; size < whole.size(); ++size)
    if (size != lastString || Usual().rows.back().target < size) EXPECT(!Sound(whole.substr(0, size)));
}

TEST("a template whose last string is missing is refused, though it ends with NUL") {
  const std::string whole = Usual().Bytes();
  EXPECT(!Sound(whole.substr(0, whole.size() - 4)));
}

TEST("a template that did not fit is refused") { EXPECT(!Sound(Usual().Bytes(), kParents, true)); }

TEST("a template of another kind or version is refused") {
  EXPECT(!Sound(With([](TemplateMessage& message) { message.record.head.kind = Kind::kStart; })));
  EXPECT(!Sound(With([](TemplateMessage& message) { message.record.head.version = kRecordVersion + 1; })));
}

TEST("a template's offsets stay inside it") {
  EXPECT(!Sound(
      With([](TemplateMessage& message) { message.record.hostname = (uint32_t)message.Bytes().size(); })));
  EXPECT(!Sound(
      With([](TemplateMessage& message) { message.record.domainname = (uint32_t)message.Bytes().size(); })));
  EXPECT(!Sound(With([](TemplateMessage& message) { message.record.workDir = 0xffffffff; })));
  EXPECT(!Sound(With([](TemplateMessage& message) { message.record.cgroupName = 0x80000000; })));
  EXPECT(!Sound(
      With([](TemplateMessage& message) { message.rows[1].source = (uint32_t)message.Bytes().size(); })));
  EXPECT(!Sound(With([](TemplateMessage& message) { message.rows[0].target = 0xffffffff; })));
}

TEST("a template's rows stay inside it") {
  EXPECT(!Sound(Usual(kMountRowsMax + 1).Bytes()));
  EXPECT(!Sound(With([](TemplateMessage& message) { message.record.mountCount = 0xffffffff; })));
  EXPECT(!Sound(With([](TemplateMessage& message) { message.record.mountCount = kMountRowsMax; })));
}

TEST("a template's filter stays inside it") {
  EXPECT(Sound(Usual(2, 0).Bytes()));
  EXPECT(Sound(Usual(2, kPolicyLengthMax).Bytes()));
  EXPECT(!Sound(Usual(2, kPolicyLengthMax + 1).Bytes()));
  EXPECT(!Sound(With([](TemplateMessage& message) { message.record.policyLength = 0xffffffff; })));
  EXPECT(!Sound(With([](TemplateMessage& message) { message.record.policyLength = kPolicyLengthMax; })));
}

TEST("a template comes with the descriptors that it names, and not with too many") {
  for (unsigned count = 0; count <= kCgroupParentsMax + 1; ++count)
    EXPECT_EQ(Sound(Usual().Bytes(), count), count == kParents);
  EXPECT(
      !Sound(With([](TemplateMessage& message) { message.record.cgroupParentCount = kCgroupParentsMax + 1; }),
          kCgroupParentsMax + 1));
}

TEST("200,000 damaged templates neither crash nor are believed wrongly") {
  const std::string sound = Usual().Bytes();
  Mutator mutator(19700101);
  unsigned accepted = 0;
  for (int i = 0; i < 200'000; ++i) {
    const Block block(mutator.Mutate(sound));
    Received received;
    received.size = (long)block.size();
    received.fdCount = kParents;
    if (!TemplateIsSound(received, block.data())) continue;
    ++accepted;
    const auto& record = *reinterpret_cast<const TemplateRecord*>(block.data());
    const auto* rows = reinterpret_cast<const MountRow*>(block.data() + sizeof(record));
    size_t length = strlen(block.data() + record.hostname) + strlen(block.data() + record.workDir) +
                    strlen(block.data() + record.cgroupName);
    for (unsigned row = 0; row < record.mountCount; ++row)
      length += strlen(block.data() + rows[row].source) + strlen(block.data() + rows[row].target);
    EXPECT(length <= block.size() * (3 + 2 * kMountRowsMax));
  }
  EXPECT(accepted > 1000);
}

}  // namespace
}  // namespace sbx::test
