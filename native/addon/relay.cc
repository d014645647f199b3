#include "relay.h"

#include "decode.h"
#include "to_buffer.h"

namespace sbx {

Napi::Function Relay::Define(Napi::Env env) {
  return DefineClass(
      env, "Relay", {InstanceMethod<&Relay::Finish>("finish"), InstanceMethod<&Relay::Close>("close")});
}

Relay::Relay(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<Relay>(info), reactor_(Reactor::Of(info.Env())) {
  Args args(info.Env(), info[0]);
  Fd source(reactor_->TakeBack(args.Int("source"))), sink(reactor_->TakeBack(args.Int("sink")));
  const auto keepMax = (size_t)args.Number("keepBytes");
  const bool drain = args.Flag("drain");
  if (args.failed()) return;
  pump_ = std::make_unique<RelayPump>(static_cast<Fd&&>(source), static_cast<Fd&&>(sink), keepMax, drain);
  const int added = reactor_->relays().Add(pump_.get());
  working_ = added >= 0;
  if (!working_) ThrowRefused(info.Env(), "relay a pipe", added);
}

void Relay::Stop() {
  if (working_) reactor_->relays().Remove(pump_.get());
  working_ = false;
}

Napi::Value Relay::Finish(const Napi::CallbackInfo& info) {
  Stop();
  pump_->Finish();
  const Napi::Array result = Napi::Array::New(info.Env(), 2);
  result.Set(0u, ToBuffer(info.Env(), pump_->kept()));
  result.Set(1u, Napi::Number::New(info.Env(), (double)pump_->total()));
  return result;
}

Napi::Value Relay::Close(const Napi::CallbackInfo& info) {
  Stop();
  pump_->Close();
  return info.Env().Undefined();
}

}  // namespace sbx
