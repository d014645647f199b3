// Init: pid 1 of one sandbox. It starts programs, enforces their CPU and wall limits with its own timers,
// sees when memory runs out, reaps, and reports fixed records. It never runs anything of the request itself.
// When it exits, for whatever reason, the kernel kills everything in the sandbox: that is the only clean-up.

#include "init.h"

#include <linux/prctl.h>
#include <signal.h>

#include "../common/channel.h"
#include "descriptors.h"
#include "pre_forked_child.h"

namespace sbx {
namespace {

struct Polled {
  struct pollfd fds[2 + 1 + 2 * kProgramsMax];
  unsigned count;
};

void CollectPolled(Init& init, Polled& polled) {
  polled.fds[0] = {init.channel.get(), POLLIN, 0};
  polled.fds[1] = {init.setup.signals.get(), POLLIN, 0};
  polled.count = 2;
  const auto add = [&](const Counters& counters) {
    const int fd = counters.fds[kCounterOomNotice];
    if (fd >= 0) polled.fds[polled.count++] = {fd, (short)(counters.oomEventfd ? POLLIN : POLLPRI), 0};
  };
  if (init.programs.alive() > 0) add(init.counters);
  for (const Program& program : init.programs)
    if (program.pid != 0) {
      if (program.ownGroup) add(program.counters);
      if (program.launching) polled.fds[polled.count++] = {program.launching.get(), POLLIN, 0};
    }
}

constexpr int64_t Sooner(int64_t a, int64_t b) { return a < b ? a : b; }

[[noreturn]] void Loop(Init& init) {
  bool unreaped = false;  // more have ended than one round takes
  for (;;) {
    const int64_t swept = SweepAgain(init);
    const int64_t watched = Sooner(Sooner(WatchMemory(init), SampleMemory(init)), swept);
    const int64_t next = unreaped ? 0 : Sooner(Sooner(EnforceAll(init), watched), MeetOthers(init));
    struct timespec wait = {};
    if (next != kForeverNs) {
      const int64_t left = next - sys::MonotonicNs();
      wait = {left > 0 ? left / 1'000'000'000 : 0, left > 0 ? left % 1'000'000'000 : 0};
    }
    Polled polled;
    CollectPolled(init, polled);
    const int ready = sys::Ppoll(polled.fds, polled.count, next == kForeverNs ? nullptr : &wait);
    if (ready < 0 || (ready == 0 && !unreaped)) continue;
    for (unsigned i = 2; i < polled.count; ++i)
      if (polled.fds[i].revents != 0) {
        CheckMemory(init);
        SettleLaunches(init);
        break;
      }
    // Whoever was started ahead may have been handed over and have ended since: then it is told by the limits
    // that it was given.
    const bool messageFirst = polled.fds[0].revents != 0 && init.programs.AnyAhead();
    if (messageFirst && !HandleMessage(init)) sys::Exit(0);
    if (polled.fds[1].revents != 0 || unreaped) {
      char discarded[128];
      while (sys::Read(init.setup.signals.get(), discarded, sizeof(discarded)) > 0) continue;
      unreaped = ReapAndFinish(init);
    }
    if (polled.fds[0].revents != 0 && !messageFirst && !HandleMessage(init)) sys::Exit(0);
  }
}

bool ReportReady(const Init& init) {
  ReadyRecord ready;
  ready.heldBytes = ReadNumber(init.counters, kCounterMemoryNow);
  int given[kTreesMax];
  for (unsigned i = 0; i < init.setup.treeCount; ++i) given[i] = init.setup.trees[i].get();
  return Send(init.channel.get(), &ready, sizeof(ready), given, init.setup.treeCount) >= 0;
}

// From here on there is a first program, or the sandbox ends.
bool ServeFirst(Init& init) {
  PreForkedChild child{init};
  if (const Failure failure = MakePreForkedChild(child)) return Report(init.channel.get(), failure), false;
  return ReportReady(init) && AwaitFirstProgram(child);
}

// What the keeper holds for its slot and its next inits is not for us, whatever it is.
Failure CloseKeepers(const Helper& helper, const Fd& channel, const Counters& counters) {
  int kept[kCounterCount + 2];
  for (unsigned i = 0; i < kCounterCount; ++i) kept[i] = counters.fds[i];
  kept[kCounterCount] = channel.get();
  kept[kCounterCount + 1] = helper.plan.procFd;
  return CloseAllBut(kept, kCounterCount + 2);
}

}  // namespace

[[noreturn]] void InitMain(
    Helper& helper, const PrepareRecord& request, Fd channel, const Counters& counters) {
  (void)sys::Prctl(PR_SET_NAME, (unsigned long)"sbx-init");
  Init init{helper, counters, {}, static_cast<Fd&&>(channel), Programs(counters)};
  Failure failure = CloseKeepers(helper, init.channel, counters);
  init.setup.watchesMemory = counters.fds[kCounterMemoryLimit] < 0;
  if (!failure) failure = SetUpSandbox(helper, request, init.setup);
  if (!failure && (request.flags & kPrepareSpareInput) != 0) failure = MakeInput(init.spareInput);
  if (failure) {
    Report(init.channel.get(), failure);
    sys::Exit(1);
  }
  if (helper.cpus.bytes > 0) (void)helper.cpus.Give(0);
  if (!ServeFirst(init)) sys::Exit(0);
  Loop(init);
}

}  // namespace sbx
