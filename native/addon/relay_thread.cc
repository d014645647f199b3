#include "relay_thread.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>

#include "uv_abi.h"

namespace sbx {
namespace {

constexpr int kBatch = 64;
// About what it costs to sleep and to be woken on another CPU.
constexpr int64_t kLookNs = 50'000;
constexpr uint64_t kSinkSide = 1;  // low bit of a key; the rest is the id. Key 0 is the call to stop.

}  // namespace

int RelayThread::Control(int operation, int fd, unsigned events, uint64_t key) {
  struct epoll_event event = {};
  event.events = events;
  event.data.u64 = key;
  return (int)sys::Call(SYS_epoll_ctl, epoll_.get(), operation, fd, &event);
}

int RelayThread::Start() {
  epoll_.reset((int)sys::Call(SYS_epoll_create1, EPOLL_CLOEXEC));
  if (!epoll_) return epoll_.release();
  wake_.reset((int)sys::Call(SYS_eventfd2, 0, O_CLOEXEC | O_NONBLOCK));
  if (!wake_) return wake_.release();
  if (const int added = Control(EPOLL_CTL_ADD, wake_.get(), EPOLLIN, 0); added < 0) return added;
  stopping_ = false;
  const int started =
      uv_thread_create(&thread_, [](void* self) { static_cast<RelayThread*>(self)->Loop(); }, this);
  running_ = started == 0;
  return started;
}

void RelayThread::Stop() {
  if (!running_) return;
  {
    const std::lock_guard guard(lock_);
    stopping_ = true;
  }
  const uint64_t one = 1;
  (void)!sys::Write(wake_.get(), &one, sizeof(one));  // an eventfd takes it
  (void)uv_thread_join(&thread_);
  running_ = false;
  epoll_.reset();
  wake_.reset();
}

int RelayThread::Add(RelayPump* pump) {
  if (!running_)
    if (const int started = Start(); started < 0) return started;
  const std::lock_guard guard(lock_);
  const uint64_t id = nextId_++;
  const int added = Control(EPOLL_CTL_ADD, pump->source(), EPOLLIN, id << 1);
  if (added < 0) return added;
  Watched& watched = watched_[id] = {pump, true};
  WatchSink(id, watched, 0);
  return 0;
}

void RelayThread::Remove(RelayPump* pump) {
  bool last = false;
  {
    const std::lock_guard guard(lock_);
    for (auto it = watched_.begin(); it != watched_.end(); ++it) {
      if (it->second.pump != pump) continue;
      Watch(it->first, it->second, RelayPump::Wait::kNothing);
      watched_.erase(it);
      break;
    }
    last = watched_.empty();
  }
  if (last) Stop();
}

// The next events, or an error. Whoever else is due on this CPU comes first at each look: it may be who has
// the answer. Once nothing came in time, the thread sleeps at once until something does again.
long RelayThread::Next(epoll_event* events) {
  const auto look = [&](int timeoutMs) {
    return sys::Call(SYS_epoll_pwait, epoll_.get(), events, kBatch, timeoutMs, 0, 8);
  };
  if (looksAgain_) {
    const int64_t until = sys::MonotonicNs() + kLookNs;
    do {
      if (const long count = look(0); count != 0) return count;
      (void)sys::Call(SYS_sched_yield);
    } while (sys::MonotonicNs() < until);
  }
  const int64_t asleepNs = sys::MonotonicNs();
  const long count = look(-1);
  looksAgain_ = sys::MonotonicNs() - asleepNs < kLookNs;
  return count;
}

void RelayThread::Loop() {
  (void)sys::SignalMask(SIG_SETMASK, ~0ULL);                   // signals are Node's
  (void)sys::Prctl(PR_SET_NAME, (unsigned long)"sbx-relays");  // for people who look at top -H
  struct epoll_event events[kBatch];
  for (;;) {
    const long count = Next(events);
    const std::lock_guard guard(lock_);
    if (stopping_) return;
    for (long i = 0; i < count; ++i) OnEvent(events[i].data.u64, events[i].events);
  }
}

void RelayThread::OnEvent(uint64_t key, unsigned events) {
  const auto found = watched_.find(key >> 1);
  if (found == watched_.end()) return;
  Watched& watched = found->second;
  if ((key & kSinkSide) != 0 && (events & EPOLLERR) != 0) {
    WatchSink(key >> 1, watched, kNone);
    watched.pump->OnSinkGone();
  }
  // What it closes leaves the set by itself: nobody else has these descriptors.
  const RelayPump::Wait wait = watched.pump->Run();
  if (watched.pump->source() < 0) watched.source = false;
  if (watched.pump->sink() < 0) watched.sinkEvents = kNone;
  Watch(key >> 1, watched, wait);
}

// A closed pipe reports "hung up" for ever, whatever is asked for: a source that is not wanted leaves the
// set. A sink stays in it without being asked anything: that its reader is gone must be seen at once, for the
// writer's sake.
void RelayThread::Watch(uint64_t id, Watched& watched, RelayPump::Wait wait) {
  const bool source = wait == RelayPump::Wait::kInput;
  if (source != watched.source && watched.pump->source() >= 0) {
    (void)Control(source ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, watched.pump->source(), EPOLLIN, id << 1);
    watched.source = source;
  }
  WatchSink(id, watched, wait == RelayPump::Wait::kOutput ? (int)EPOLLOUT : source ? 0 : kNone);
}

void RelayThread::WatchSink(uint64_t id, Watched& watched, int events) {
  if (events == watched.sinkEvents || watched.pump->sink() < 0) return;
  const int operation = events == kNone               ? EPOLL_CTL_DEL
                        : watched.sinkEvents == kNone ? EPOLL_CTL_ADD
                                                      : EPOLL_CTL_MOD;
  (void)Control(operation, watched.pump->sink(), (unsigned)events, id << 1 | kSinkSide);
  watched.sinkEvents = events;
}

}  // namespace sbx
