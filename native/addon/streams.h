// Pipes and terminals of programs. `Reader` takes what a program writes: captured up to a bound, or handed on
// as it comes with back pressure. `Writer` feeds a program and waits when it does not read.
#pragma once

#include <napi.h>

#include "../common/fd.h"
#include "gathered.h"
#include "reactor.h"

namespace sbx {

class Reader : public Napi::ObjectWrap<Reader>, public Watch {
 public:
  static Napi::Function Define(Napi::Env env);
  // (fd, { limitBytes?, onData?, onEnd?, onOverflow? }): with limitBytes it captures, else it flows.
  explicit Reader(const Napi::CallbackInfo& info);
  ~Reader() override { Shut(); }
  void OnEvents(unsigned events) override;

 private:
  Napi::Value Finish(const Napi::CallbackInfo& info);
  Napi::Value EndSoon(const Napi::CallbackInfo& info);
  Napi::Value Pause(const Napi::CallbackInfo& info);
  Napi::Value Resume(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  long Gather();
  bool ReadOnce();
  void TakeLast();
  void EndIfEmpty();
  size_t Keep(const char* data, size_t size);
  void Take(size_t size);
  void Shut();
  void End();

  Reactor* reactor_;
  Fd fd_;
  bool capturing_ = false, paused_ = false, overflowed_ = false, ended_ = false, closed_ = false;
  bool wasShort_ = false;  // the last reading
  size_t limit_ = 0;
  long last_ = -1;  // so many bytes are still taken; -1: all until the end
  double total_ = 0;
  Gathered captured_;
  Napi::FunctionReference onData_, onEnd_, onOverflow_;
};

class Writer : public Napi::ObjectWrap<Writer>, public Watch {
 public:
  static Napi::Function Define(Napi::Env env);
  explicit Writer(const Napi::CallbackInfo& info);  // (fd)
  ~Writer() override { Shut(); }
  void OnEvents(unsigned events) override;

 private:
  // (bytes, callback(errno)): true when all was taken at once and the callback will not be called.
  Napi::Value Write(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  int Flush();
  void Shut();

  Reactor* reactor_;
  Fd fd_;
  bool watching_ = false;
  std::string pending_;
  size_t at_ = 0;
  Napi::FunctionReference done_;
};

}  // namespace sbx
