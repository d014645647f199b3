#include "network.h"

#include "../common/fd.h"
#include "../common/folder.h"

namespace sbx {

Failure MakeNetwork(const Template& plan, unsigned step) {
  SBX_TRY(FailIf(Stage::k_network, sys::Unshare(CLONE_NEWNET), step));
  const Fd files(sys::Open(plan.procFd, "self/net", O_RDONLY | O_DIRECTORY));
  (void)ForEachEntry(files.get(), [&](const sys::FolderEntry& entry) {
    if (entry.name[0] == '.') return 0;
    (void)!sys::Call(SYS_fchownat, files.get(), entry.name, plan.initUid(), plan.initUid(), 0);
    (void)sys::FchmodAt(files.get(), entry.name, 0);
    return 0;
  });
  return {};
}

}  // namespace sbx
