#include "cgroup_tree.h"

#include <errno.h>

#include "../common/fd.h"
#include "../common/folder.h"

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
  (void)ForEachEntry(folder, [&](const sys::FolderEntry& entry) {
    if (entry.type == sys::kEntryIsFolder && entry.name[0] != '.') RemoveOnce(folder, entry.name, depth + 1);
    return 0;
  });
}

}  // namespace

void RemoveCgroupTree(int parent, const char* name) { RemoveOnce(parent, name, 1); }

}  // namespace sbx
