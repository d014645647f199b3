// The thread that works the relays of one environment: a line that goes from program to program waits neither
// for JavaScript nor for the loop. It lives while there are relays. Before it sleeps it looks again for a
// moment, as long as that pays: who has just been given a line often answers at once, and a thread that
// sleeps is dear to wake. Two threads touch a pump, never at once: this one between Add and Remove, under
// the lock; its owner before and after.
#pragma once

#include <map>
#include <mutex>

#include "relay_pump.h"

struct epoll_event;

namespace sbx {

class RelayThread {
 public:
  RelayThread() = default;
  RelayThread(const RelayThread&) = delete;
  ~RelayThread() { Stop(); }

  // Returns 0 or a negative error number. The pump must stay until Remove.
  int Add(RelayPump* pump);
  // After this the thread knows nothing of it. The last one takes the thread along.
  void Remove(RelayPump* pump);

 private:
  // What of a pump is in the epoll set.
  struct Watched {
    RelayPump* pump;
    bool source = false;
    int sinkEvents = kNone;
  };
  static constexpr int kNone = -1;

  int Start();
  void Stop();
  void Loop();
  long Next(epoll_event* events);
  void OnEvent(uint64_t key, unsigned events);
  void Watch(uint64_t id, Watched& watched, RelayPump::Wait wait);
  void WatchSink(uint64_t id, Watched& watched, int events);
  int Control(int operation, int fd, unsigned events, uint64_t key);

  Fd epoll_, wake_;
  unsigned long thread_ = 0;
  bool running_ = false;
  bool looksAgain_ = true;  // the thread's own
  std::mutex lock_;         // guards all below, and every pump in `watched_`
  bool stopping_ = false;
  uint64_t nextId_ = 1;  // never used again: an event that was fetched before a Remove finds nobody
  std::map<uint64_t, Watched> watched_;
};

}  // namespace sbx
