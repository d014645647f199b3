#include "cgroup_tree.h"

#include <errno.h>

#include "../common/fd.h"

namespace sbx {
namespace {

constexpr int kDepthMax = 4;  // engine, slot, program: deeper is not ours

void RemoveBelow(int folder, int depth);

void RemoveOnce(int parent, const char* name, int depth) {
  if (depth > kDepthMax) return;
  {
    Fd folder(sys::Open(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    if (folder) RemoveBelow(folder.get(), depth);
  }
  for (int tries = 0; tries < 200; ++tries) {
    if (sys::UnlinkAt(parent, name, AT_REMOVEDIR) != -EBUSY) return;
    sys::SleepNs(5'000'000);
  }
}

void RemoveBelow(int folder, int depth) {
  alignas(8) char buffer[2048];
  for (;;) {
    const long size = sys::GetDents(folder, buffer, sizeof(buffer));
    if (size <= 0) return;
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const sys::FolderEntry*>(buffer + at);
      at += entry->size;
      if (entry->type == sys::kEntryIsFolder && entry->name[0] != '.') RemoveOnce(folder, entry->name, depth + 1);
    }
  }
}

}  // namespace

void RemoveCgroupTree(int parent, const char* name) { RemoveOnce(parent, name, 1); }

}  // namespace sbx
