// `Relay`: a pipe between two programs that passes through the host, as a JavaScript object.
#pragma once

#include <napi.h>

#include "reactor.h"
#include "relay_pump.h"

namespace sbx {

class Relay : public Napi::ObjectWrap<Relay> {
 public:
  static Napi::Function Define(Napi::Env env);
  explicit Relay(const Napi::CallbackInfo& info);  // ({ source, sink, keepBytes, drain })
  ~Relay() override { Stop(); }

 private:
  // Every writer is dead: takes what is left and closes. Returns [bytes kept, bytes in all].
  Napi::Value Finish(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);
  void Stop();

  Reactor* reactor_;
  std::unique_ptr<RelayPump> pump_;
  bool working_ = false;  // the thread has it
};

}  // namespace sbx
