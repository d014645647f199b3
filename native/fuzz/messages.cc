#include <sanitizer/asan_interface.h>
#include <string.h>

#include "../common/record.h"
#include "target.h"
#include "world.h"

namespace sbx::fuzz {

bool Advance() {
  World& world = *gWorld;
  if (world.at >= world.timeline.size() || world.timeline[world.at].kind == kMessage) return false;
  const Event& event = world.timeline[world.at++];
  switch (event.kind) {
    case kExit: {
      const uint8_t which = First<uint8_t>(event.payload), status = First<uint8_t>(event.payload, 1);
      auto child = world.alive.begin();
      for (unsigned i = 0; i < which && child != world.alive.end(); ++i) ++child;
      if (child != world.alive.end()) {
        world.dead[child->first] = status;
        world.alive.erase(child);
      } else world.dead[world.nextPid++] = status;  // an orphan
      world.signalled = true;
      break;
    }
    case kText: world.text = event.payload; break;
    case kClock:
      // Never beyond all time, however many of these.
      world.now += (int64_t)(First<uint64_t>(event.payload) >> 16);
      break;
    case kPipe:
      world.report = event.payload;
      world.reported = true;
      break;
    case kPlan: world.plan = event.payload; break;
    case kNotice: world.noticed = true; break;
    default:  // faults and forks are taken from the list before anything runs
      break;
  }
  return true;
}

long ReceiveMessage(struct msghdr* message) {
  World& world = *gWorld;
  while (Advance()) continue;
  struct iovec& part = message->msg_iov[0];
  ASAN_UNPOISON_MEMORY_REGION(part.iov_base, part.iov_len);
  message->msg_flags = 0;
  const size_t room = message->msg_controllen;
  message->msg_controllen = 0;
  if (world.at >= world.timeline.size()) return 0;
  const std::string& payload = world.timeline[world.at++].payload;
  const size_t size = payload.empty() ? 0 : payload.size() - 1;
  const size_t taken = size < part.iov_len ? size : part.iov_len;
  if (taken < size) message->msg_flags |= MSG_TRUNC;
  if (taken > 0) memcpy(part.iov_base, payload.data() + 1, taken);
  // What is left there of the message before is not to be read.
  ASAN_POISON_MEMORY_REGION(
      static_cast<char*>(part.iov_base) + (taken + 7) / 8 * 8, part.iov_len - (taken + 7) / 8 * 8);
  unsigned count = First<uint8_t>(payload);
  if (count > kDescriptorsMax) {
    count = kDescriptorsMax;
    message->msg_flags |= MSG_CTRUNC;
  }
  if (count == 0) return (long)taken;
  if (CMSG_SPACE(sizeof(int) * count) > room) Wrong("no room for the descriptors of a message");
  auto* header = static_cast<struct cmsghdr*>(message->msg_control);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  unsigned passed = 0;
  for (; passed < count; ++passed) {
    const int fd = OpenOne(kPlain);
    if (fd < 0) break;
    memcpy(CMSG_DATA(header) + passed * sizeof(int), &fd, sizeof(fd));
  }
  header->cmsg_len = CMSG_LEN(sizeof(int) * passed);
  message->msg_controllen = CMSG_SPACE(sizeof(int) * passed);
  return (long)taken;
}

long ReceiveOne(struct msghdr* message) {
  const int fd = OpenOne(kPlain);
  message->msg_flags = 0;
  message->msg_controllen = fd < 0 ? 0 : CMSG_SPACE(sizeof(fd));
  if (fd < 0) return 1;
  auto* header = static_cast<struct cmsghdr*>(message->msg_control);
  *header = {CMSG_LEN(sizeof(fd)), SOL_SOCKET, SCM_RIGHTS};
  memcpy(CMSG_DATA(header), &fd, sizeof(fd));
  return 1;
}

// Of a report of an end: its record, what it says of outputs, and their contents.
size_t EndedSize(const std::string& report) {
  EndedRecord record;
  if (report.size() < sizeof(record)) return 0;
  memcpy(&record, report.data(), sizeof(record));
  size_t size = sizeof(record) + record.outputCount * sizeof(OutputEnd);
  for (size_t at = sizeof(record);
      at < sizeof(record) + record.outputCount * sizeof(OutputEnd) && at + sizeof(OutputEnd) <= report.size();
      at += sizeof(OutputEnd)) {
    OutputEnd end;
    memcpy(&end, report.data() + at, sizeof(end));
    size += end.contentBytes;
  }
  return size;
}

long SendMessage(const struct msghdr* message) {
  std::string whole;
  for (size_t i = 0; i < message->msg_iovlen; ++i) {
    const struct iovec& part = message->msg_iov[i];
    Readable(part.iov_base, part.iov_len);
    whole.append(static_cast<const char*>(part.iov_base), part.iov_len);
  }
  const Kind kind = reinterpret_cast<const Head*>(whole.data())->kind;
  const size_t wanted = kind == Kind::kReady     ? sizeof(ReadyRecord)
                        : kind == Kind::kFailed  ? sizeof(FailedRecord)
                        : kind == Kind::kStarted ? sizeof(StartedRecord)
                        : kind == Kind::kEnded   ? EndedSize(whole)
                                                 : 0;
  if (whole.size() != wanted || whole.size() > kReportBytesMax) Wrong("a report that is none");
  if (message->msg_controllen == 0) return (long)whole.size();
  const auto* header = static_cast<const struct cmsghdr*>(message->msg_control);
  for (size_t at = 0; at < header->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
    int fd;
    memcpy(&fd, CMSG_DATA(header) + at, sizeof(fd));
    if (!IsOpen(fd)) Wrong("a descriptor is sent that is not open");
  }
  return (long)whole.size();
}

}  // namespace sbx::fuzz
