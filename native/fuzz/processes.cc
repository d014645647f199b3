#include <errno.h>
#include <linux/sched.h>
#include <string.h>
#include <sys/wait.h>

#include "kernel.h"
#include "target.h"
#include "world.h"

namespace sbx::fuzz {

long CloneSharing(int* running, void (*run)(void*), void* argument) {
  World& world = *gWorld;
  world.sharing = {world.nextPid++, running, run, argument};
  world.alive[world.sharing.pid] = 0;
  return world.sharing.pid;
}

void TakeDescriptorsApart() {
  Sharing& sharing = gWorld->sharing;
  sharing.isApart = true;
  memcpy(sharing.parents, gWorld->open, sizeof(sharing.parents));
}

namespace {

void RunSharing() {
  World& world = *gWorld;
  Sharing& sharing = world.sharing;
  // The analyser follows no exceptions, and `run` ends with one.
  const int pid = sharing.pid;  // NOLINT(clang-analyzer-deadcode.DeadStores)
  sharing.pid = 0;
  try {
    sharing.run(sharing.argument);
    Wrong("a child that shares memory returns");
  } catch (const Ended&) {}
  if (sharing.isApart) memcpy(world.open, sharing.parents, sizeof(world.open));
  *sharing.running = 0;
  if (sharing.executed) return;
  world.alive.erase(pid);
  world.dead[pid] = 127;
  world.signalled = true;
}

bool IsReady(Open kind) {
  const World& world = *gWorld;
  switch (kind) {
    case kSignals: return world.signalled;
    case kPipeEnd: return world.reported;
    case kTimer:
    case kOwnPair: return true;
    default: return world.noticed;
  }
}

}  // namespace

long Poll(struct pollfd* fds, long count, bool forever) {
  World& world = *gWorld;
  if (world.sharing.pid != 0) RunSharing();
  // Every role waits for several; for a single one, a terminal's echo, init waits in the middle of a start.
  const bool atRest = count > 1 && world.alive.empty() && world.dead.empty() && !world.signalled;
  if (atRest) CheckLeaks(0);
  const bool happened = Advance();
  long ready = 0;
  for (long i = 0; i < count; ++i) {
    fds[i].revents = 0;
    if (!IsOpen(fds[i].fd)) Wrong("a descriptor is polled that is not open");
    const Open kind = world.open[fds[i].fd];
    const bool isChannel = i == 0 && kind == kPlain;
    if (isChannel ? !happened : IsReady(kind)) fds[i].revents = POLLIN;
    ready += fds[i].revents != 0;
  }
  if (ready == 0 && !forever) world.now += 1'000'000;
  return ready;
}

long Clone(uint64_t flags, bool isHelper) {
  World& world = *gWorld;
  // Helpers are followed into their clones, programs are not; the probe for /proc comes back.
  const bool probe = (flags & CLONE_NEWUSER) != 0 && (flags & CLONE_NEWPID) != 0;
  bool intoChild = isHelper && !probe;
  if (!world.forks.empty()) {
    if (world.forks.front()) intoChild = !intoChild;
    world.forks.pop_front();
  }
  if (intoChild) {
    world.alive.clear();
    world.dead.clear();
    return 0;
  }
  world.alive[world.nextPid] = 0;
  return world.nextPid++;
}

long WaitFor(long type, long id, siginfo_t* info, long options) {
  World& world = *gWorld;
  const auto wanted = [&](int pid) { return type == P_ALL || pid == id; };
  if ((options & WNOHANG) == 0)
    for (auto& [pid, status] : world.alive)
      if (wanted(pid)) world.dead[pid] = kBySignal + SIGKILL;
  for (auto& [pid, status] : world.dead) {
    world.alive.erase(pid);
    if (!wanted(pid)) continue;
    info->si_pid = pid;
    info->si_code = status < kBySignal ? CLD_EXITED : CLD_KILLED;
    info->si_status = status % kBySignal;
    if ((options & WNOWAIT) == 0) world.dead.erase(pid);
    return 0;
  }
  for (auto& [pid, status] : world.alive)
    if (wanted(pid)) return 0;
  return -ECHILD;
}

long Signal(long pid, long signal) {
  World& world = *gWorld;
  if (signal < 0 || signal > 64) return -EINVAL;
  if (pid < -1) pid = -pid;
  long found = 0;
  for (auto child = world.alive.begin(); child != world.alive.end();) {
    const bool hit = pid == -1 || child->first == pid;
    found += hit;
    if (hit && signal == SIGKILL) {
      world.dead[child->first] = kBySignal + SIGKILL;
      world.signalled = true;
      child = world.alive.erase(child);
    } else ++child;
  }
  return found > 0 || world.dead.contains((int)pid) ? 0 : -ESRCH;
}

}  // namespace sbx::fuzz
