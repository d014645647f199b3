// One epoll descriptor per environment, polled by the loop: sockets and pipes of sandboxes come and go
// without a libuv handle each, and a burst of events costs one wake-up. All of it runs on the environment's
// own thread.
#pragma once

#include <napi.h>

#include <vector>

#include "../common/fd.h"
#include "relay_thread.h"
#include "report_row.h"
#include "uv_abi.h"

namespace sbx {

// Something that waits for a descriptor. Not owned by the reactor.
class Watch {
 public:
  virtual ~Watch() = default;
  virtual void OnEvents(unsigned events) = 0;
};

class Reactor {
 public:
  static Reactor* Of(Napi::Env env);

  explicit Reactor(Napi::Env env);
  ~Reactor();

  // Returns 0 or a negative error number. `events` as epoll's.
  int Add(int fd, unsigned events, Watch* watch);
  void Remove(int fd, Watch* watch);

  // Descriptors that JavaScript holds by number. A worker that is terminated runs no clean-up of its own:
  // what it still held is closed with its environment.
  int Lend(int fd);
  int TakeBack(int fd);
  // The engine's helper: at the end of the environment it is told to end, and reaped.
  void AddHelper(int pidfd, int channel);
  void TellHelperToEnd(int pidfd);
  void RemoveHelper(int pidfd);  // it was reaped

  // Relays between programs have a thread of their own.
  RelayThread& relays() { return relays_; }

  // Filled by one report, and read by JavaScript before there is another.
  ReportRow& report() { return report_; }

  // The loop stays alive while somebody holds it.
  void Hold();
  void Release();

  // Calls into JavaScript from an event, with microtasks after it.
  void Call(const Napi::FunctionReference& function, std::initializer_list<napi_value> args);
  Napi::Env env() const { return env_; }

 private:
  static void OnReadable(uv_handle_s* handle, int status, int events);
  void Dispatch();
  bool CanCallJavaScript() const;
  bool Start();
  void Stop();
  int Control(int operation, int fd, unsigned events, Watch* watch);

  Napi::Env env_;
  ReportRow report_;
  Fd epoll_;
  uv_handle_s* poll_ = nullptr;
  napi_async_context context_ = nullptr;
  unsigned holds_ = 0;
  unsigned watched_ = 0;  // descriptors; with none there is no epoll descriptor either
  static constexpr int kBatch = 64;
  struct Helper {
    int pidfd, channel;
  };
  std::vector<bool> lent_;  // by number
  RelayThread relays_;
  std::vector<Helper> helpers_;
  Watch* batch_[kBatch];
  int batchSize_ = 0;
};

}  // namespace sbx
