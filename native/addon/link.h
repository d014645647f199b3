// `Channel`: the host's end of a socket to zygote, keeper or init, as a JavaScript object.
#pragma once

#include <napi.h>

#include "../common/channel.h"
#include "reactor.h"

namespace sbx {

class Numbers;

class Link : public Napi::ObjectWrap<Link>, public Watch {
 public:
  static Napi::Function Define(Napi::Env env);
  explicit Link(const Napi::CallbackInfo& info);  // (fd, onReport, quiet)
  ~Link() override;

  void OnEvents(unsigned events) override;

 private:
  Napi::Value Template(const Napi::CallbackInfo& info);
  Napi::Value NewSlot(const Napi::CallbackInfo& info);
  Napi::Value Groups(const Napi::CallbackInfo& info);
  Napi::Value Prepare(const Napi::CallbackInfo& info);
  Napi::Value Start(const Napi::CallbackInfo& info);
  Napi::Value Activate(const Napi::CallbackInfo& info);
  Napi::Value Signal(const Napi::CallbackInfo& info);
  Napi::Value MakeSocket(const Napi::CallbackInfo& info);
  Napi::Value Listen(const Napi::CallbackInfo& info);
  Napi::Value Take(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  Napi::Value Result(Napi::Env env, int result) { return Napi::Number::New(env, result); }
  int SendRecord(const void* data, size_t size, const std::vector<int>& fds);
  template <typename Record>
  Napi::Value SendComplete(const Napi::CallbackInfo& info, const Numbers& numbers, const Record& record,
      const std::vector<int>& fds);
  int BeHeard();
  // The next report is in the row, and what `PutReport` gave comes back; null: there is none.
  Napi::Value Next();
  void Shut();

  Reactor* reactor_;
  Fd socket_;
  bool heard_ = false;  // the reactor tells of what comes
  Napi::FunctionReference onReport_;
};

}  // namespace sbx
