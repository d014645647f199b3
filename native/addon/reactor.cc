#include "reactor.h"

#include <stdlib.h>
#include <sys/epoll.h>

namespace sbx {

Reactor* Reactor::Of(Napi::Env env) { return env.GetInstanceData<Reactor>(); }

Reactor::Reactor(Napi::Env env) : env_(env), epoll_((int)sys::Call(SYS_epoll_create1, EPOLL_CLOEXEC)) {
  uv_loop_s* loop = nullptr;
  if (!epoll_ || napi_get_uv_event_loop(env, &loop) != napi_ok) return;
  auto* handle = static_cast<uv_handle_s*>(calloc(1, uv_handle_size(kUvPoll)));
  if (uv_poll_init(loop, handle, epoll_.get()) != 0) {
    free(handle);
    return;
  }
  uv_handle_set_data(handle, this);
  if (uv_poll_start(handle, kUvReadable, OnReadable) != 0) {
    uv_close(handle, [](uv_handle_s* closed) { free(closed); });
    return;
  }
  uv_unref(handle);
  poll_ = handle;
  napi_async_init(env, nullptr, Napi::String::New(env, "sbx"), &context_);
}

Reactor::~Reactor() {
  // Runs at the end of the environment, worker threads included: libuv frees the handle when it has let go of it.
  if (poll_ == nullptr) return;
  uv_handle_set_data(poll_, nullptr);
  uv_close(poll_, [](uv_handle_s* closed) { free(closed); });
}

int Reactor::Control(int operation, int fd, unsigned events, Watch* watch) {
  struct epoll_event event = {};
  event.events = events;
  event.data.ptr = watch;
  return (int)sys::Call(SYS_epoll_ctl, epoll_.get(), operation, fd, &event);
}

int Reactor::Add(int fd, unsigned events, Watch* watch) { return Control(EPOLL_CTL_ADD, fd, events, watch); }
int Reactor::Change(int fd, unsigned events, Watch* watch) { return Control(EPOLL_CTL_MOD, fd, events, watch); }

void Reactor::Remove(int fd, Watch* watch) {
  (void)Control(EPOLL_CTL_DEL, fd, 0, nullptr);
  // It may stand later in the batch that is being worked off.
  for (int i = 0; i < batchSize_; ++i)
    if (batch_[i] == watch) batch_[i] = nullptr;
}

void Reactor::Hold() {
  if (holds_++ == 0 && poll_ != nullptr) uv_ref(poll_);
}

void Reactor::Release() {
  if (holds_ > 0 && --holds_ == 0 && poll_ != nullptr) uv_unref(poll_);
}

void Reactor::Call(const Napi::FunctionReference& function, std::initializer_list<napi_value> args) {
  if (function.IsEmpty()) return;
  (void)function.MakeCallback(env_.Global(), args, context_);
  if (!env_.IsExceptionPending()) return;
  napi_value error;
  if (napi_get_and_clear_last_exception(env_, &error) == napi_ok) napi_fatal_exception(env_, error);
}

void Reactor::OnReadable(uv_handle_s* handle, int status, int) {
  auto* reactor = static_cast<Reactor*>(uv_handle_get_data(handle));
  if (reactor != nullptr && status == 0) reactor->Dispatch();
}

void Reactor::Dispatch() {
  struct epoll_event events[kBatch];
  const long count = sys::Call(SYS_epoll_pwait, epoll_.get(), events, kBatch, 0, 0, 8);
  if (count <= 0) return;
  Napi::HandleScope scope(env_);
  batchSize_ = (int)count;
  for (int i = 0; i < batchSize_; ++i) batch_[i] = static_cast<Watch*>(events[i].data.ptr);
  for (int i = 0; i < batchSize_; ++i)
    if (batch_[i] != nullptr) batch_[i]->OnEvents(events[i].events);
  batchSize_ = 0;
}

}  // namespace sbx
