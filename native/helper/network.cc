#include "network.h"

#include "../common/folder.h"

namespace sbx {
namespace {

// How many packets the CPUs have had, what the sockets of all namespaces hold, tables of neighbours.
constexpr const char* kOfMachine[] = {"softnet_stat", "sockstat", "protocols", "rt_acct", "stat"};

void Shut(const Template& plan, const Fd& files, const char* name) {
  const uint32_t owner = plan.initUid();
  if (plan.insideUid == 0) (void)!sys::Call(SYS_fchownat, files.get(), name, owner, owner, 0);
  (void)sys::FchmodAt(files.get(), name, 0);
}

Fd OpenFiles(const Template& plan) { return Fd(sys::Open(plan.procFd, "self/net", O_RDONLY | O_DIRECTORY)); }

}  // namespace

Failure MakeSlotNetwork(const Template& plan, Fd& sockets) {
  SBX_TRY(FailIf(Stage::k_network, sys::Unshare(CLONE_NEWNET)));
  const Fd files = OpenFiles(plan);
  sockets.reset(sys::Open(files.get(), "unix", O_RDONLY));
  (void)ForEachEntry(files.get(), [&](const sys::FolderEntry& entry) {
    if (entry.name[0] != '.') Shut(plan, files, entry.name);
    return 0;
  });
  return {};
}

void CollectSockets() {
  int pair[2];
  if (sys::SocketPair(SOCK_DGRAM, pair) < 0) return;
  for (const int socket : pair) sys::Close(socket);
}

bool IsUnused(const Fd& sockets) {
  char text[256];
  const long size = sys::PreadAll(sockets.get(), text, sizeof(text));
  long lineEnd = 0;  // of the headings, behind which a socket each has a line
  while (lineEnd < size && text[lineEnd] != '\n') ++lineEnd;
  return size > 0 && lineEnd == size - 1;
}

Failure MakeOwnNetwork(const Template& plan) {
  SBX_TRY(FailIf(Stage::k_network, sys::Unshare(CLONE_NEWNET), 1));
  const Fd files = OpenFiles(plan);
  for (const char* name : kOfMachine) Shut(plan, files, name);
  return {};
}

}  // namespace sbx
