// A Start message, or the plan of one in a file, checked and taken apart.

#include <errno.h>

#include "../common/channel.h"
#include "../common/text.h"
#include "launch.h"

namespace sbx {
namespace {

// Takes `count` strings in a row; returns what follows the last, or null when they run out of the message.
const char* TakeStrings(const char* at, const char* end, unsigned count, const char**& table) {
  for (unsigned i = 0; i < count; ++i) {
    if (at >= end) return nullptr;
    *table++ = at;
    at += Length(at) + 1;
  }
  *table++ = nullptr;
  return at;
}

// Only in a sandbox that is this program's alone: elsewhere others would have to make room, and could be in
// the way.
bool FilesAreSound(const StartRecord& record) {
  if ((record.flags & kStartOneShot) == 0) return record.contentCount == 0 && record.outputCount == 0;
  return record.contentCount <= kContentsMax && record.outputCount <= kOutputsMax;
}

bool CountsAreSound(const StartRecord& record, size_t size, size_t tableSize) {
  const uint64_t strings = (uint64_t)record.pathCount + record.argCount + record.envCount;
  return record.size == size && record.strings < size && record.cwd < size &&
         (uint64_t)record.typed + record.typedSize <= size && strings + 3 <= tableSize &&
         record.fdCount <= kProgramFdsMax && record.joinCount <= kJoinsMax &&
         record.writeCount <= kWritesMax && record.rlimitCount <= kRlimitsMax &&
         record.family <= (uint32_t)CallFamily::kCount && record.argCount > 0 && record.pathCount > 0 &&
         (record.counterMask == 0 || (record.flags & kStartOwnGroup) != 0);
}

// A program that is given a folder can name everything around it, whatever is its root.
bool IsFolder(int fd) {
  struct stat status = {};
  return sys::Call(SYS_fstat, fd, &status) < 0 || S_ISDIR(status.st_mode);
}
constexpr uint16_t kFolderAsDescriptor = 9;

}  // namespace

Failure ParseStart(const char* message, size_t size, Received& received, unsigned firstFd, int null,
    const char** tables, size_t tableSize, Launch& launch) {
  const auto& record = *reinterpret_cast<const StartRecord*>(message);
  if (size < sizeof(record) || message[size - 1] != '\0' || !CountsAreSound(record, size, tableSize) ||
      !FilesAreSound(record))
    return {Stage::k_plan, 0, EPROTO};
  launch.record = &record;
  launch.cwd = message + record.cwd;
  launch.typed = message + record.typed;
  const char* end = message + size;
  launch.paths = tables;
  const char* at = TakeStrings(message + record.strings, end, record.pathCount, tables);
  launch.args = tables;
  if (at != nullptr) at = TakeStrings(at, end, record.argCount, tables);
  launch.env = tables;
  if (at != nullptr) at = TakeStrings(at, end, record.envCount, tables);
  if (at == nullptr) return {Stage::k_plan, 1, EPROTO};

  unsigned next = firstFd;
  const auto take = [&](Fd& to) {
    if (next >= received.fdCount) return false;
    to = static_cast<Fd&&>(received.fds[next++]);
    return true;
  };
  for (unsigned i = 0; i < record.fdCount; ++i) {
    const FdRow& row = record.fds[i];
    if (row.target > kProgramFdNumberMax) return {Stage::k_plan, 2, EPROTO};
    if ((row.flags & (kFdOutput | kFdContent)) != 0) {
      const uint32_t count = (row.flags & kFdOutput) != 0 ? record.outputCount : record.contentCount;
      if (row.index >= count) return {Stage::k_plan, 6, EPROTO};
    } else if ((row.flags & kFdNull) != 0) {
      launch.fds[i].reset(sys::Fcntl(null, F_DUPFD_CLOEXEC, 0));
      if (!launch.fds[i]) return FailIf(Stage::k_plan, launch.fds[i].get(), 7);
    } else if (!take(launch.fds[i])) {
      return {Stage::k_plan, 3, EPROTO};
    } else if (IsFolder(launch.fds[i].get())) {
      return {Stage::k_plan, kFolderAsDescriptor, EISDIR};
    }
  }
  for (unsigned i = 0; i < record.joinCount; ++i)
    if (!take(launch.joins[i])) return {Stage::k_plan, 4, EPROTO};
  unsigned counters = 0;
  for (unsigned i = 0; i < kCounterCount; ++i) counters += record.counterMask >> i & 1;
  // Before the first is taken: nobody closes them yet.
  if (next + counters > received.fdCount) return {Stage::k_plan, 5, EPROTO};
  for (unsigned i = 0; i < kCounterCount; ++i)
    launch.counters.fds[i] = (record.counterMask >> i & 1) != 0 ? received.fds[next++].release() : -1;
  launch.counters.oomEventfd = record.oomEventfd != 0;
  return {};
}

}  // namespace sbx
