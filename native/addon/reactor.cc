#include "reactor.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/wait.h>

namespace sbx {
namespace {

constexpr int kEndWaitMs = 2000;

// End of file tells the zygote to kill all and clean up; this takes some milliseconds. Then it must be
// reaped, or it would stay a zombie as long as the process lives.
void EndHelper(int pidfd, int channel) {
  (void)sys::Call(SYS_shutdown, channel, SHUT_RDWR);
  sys::Close(channel);
  struct pollfd polled = {pidfd, POLLIN, 0};
  const struct timespec limit = {kEndWaitMs / 1000, 0};
  if (sys::Ppoll(&polled, 1, &limit) <= 0) (void)sys::PidfdSendSignal(pidfd, SIGKILL);
  siginfo_t info;
  // Fails only when it is reaped already.
  (void)sys::WaitId(P_PIDFD, pidfd, &info, WEXITED | __WALL, nullptr);
}

}  // namespace

Reactor* Reactor::Of(Napi::Env env) { return env.GetInstanceData<Reactor>(); }

Reactor::Reactor(Napi::Env env) : env_(env), report_(env) {}

bool Reactor::Start() {
  uv_loop_s* loop = nullptr;
  epoll_.reset((int)sys::Call(SYS_epoll_create1, EPOLL_CLOEXEC));
  if (!epoll_ || napi_get_uv_event_loop(env_, &loop) != napi_ok) return false;
  auto* handle = static_cast<uv_handle_s*>(calloc(1, uv_handle_size(kUvPoll)));
  if (uv_poll_init(loop, handle, epoll_.get()) != 0) {
    free(handle);
    epoll_.reset();
    return false;
  }
  uv_handle_set_data(handle, this);
  poll_ = handle;
  if (uv_poll_start(handle, kUvReadable, OnReadable) != 0) {
    Stop();
    return false;
  }
  if (holds_ == 0) uv_unref(handle);
  if (context_ == nullptr) napi_async_init(env_, nullptr, Napi::String::New(env_, "sbx"), &context_);
  return true;
}

// At the end of the environment, worker threads included; of the main thread only when the process ends by
// itself.
Reactor::~Reactor() {
  Stop();
  for (const Helper& helper : helpers_) EndHelper(helper.pidfd, helper.channel);
  for (size_t fd = 0; fd < lent_.size(); ++fd)
    if (lent_[fd]) sys::Close((int)fd);
}

int Reactor::Lend(int fd) {
  if (fd < 0) return fd;
  if (lent_.size() <= (size_t)fd) lent_.resize((size_t)fd + 1);
  lent_[(size_t)fd] = true;
  return fd;
}

int Reactor::TakeBack(int fd) {
  if (fd >= 0 && (size_t)fd < lent_.size()) lent_[(size_t)fd] = false;
  return fd;
}

// A second descriptor of the channel, since the first belongs to an object that may be gone by then.
void Reactor::AddHelper(int pidfd, int channel) {
  helpers_.push_back({pidfd, sys::Fcntl(channel, F_DUPFD_CLOEXEC, 0)});
}

void Reactor::TellHelperToEnd(int pidfd) {
  for (Helper& helper : helpers_) {
    if (helper.pidfd != pidfd) continue;
    (void)sys::Call(SYS_shutdown, helper.channel, SHUT_RDWR);  // fails only when the helper is gone already
    sys::Close(helper.channel);
    helper.channel = -1;
  }
}

void Reactor::RemoveHelper(int pidfd) {
  for (auto helper = helpers_.begin(); helper != helpers_.end(); ++helper) {
    if (helper->pidfd != pidfd) continue;
    sys::Close(helper->channel);
    helpers_.erase(helper);
    return;
  }
}

// libuv frees the handle when it has let go of it.

void Reactor::Stop() {
  if (poll_ == nullptr) return;
  uv_handle_set_data(poll_, nullptr);
  uv_close(poll_, [](uv_handle_s* closed) { free(closed); });
  poll_ = nullptr;
  epoll_.reset();
}

int Reactor::Control(int operation, int fd, unsigned events, Watch* watch) {
  struct epoll_event event = {};
  event.events = events;
  event.data.ptr = watch;
  return (int)sys::Call(SYS_epoll_ctl, epoll_.get(), operation, fd, &event);
}

int Reactor::Add(int fd, unsigned events, Watch* watch) {
  if (poll_ == nullptr && !Start()) return -EMFILE;
  const int added = Control(EPOLL_CTL_ADD, fd, events, watch);
  watched_ += added >= 0;
  if (watched_ == 0) Stop();
  return added;
}

void Reactor::Remove(int fd, Watch* watch) {
  if (Control(EPOLL_CTL_DEL, fd, 0, nullptr) >= 0 && --watched_ == 0) Stop();
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

// While an environment is torn down its handles still get events, but JavaScript must not be touched any
// more. Node-API says so only by failing: any call that could run user code will do to ask.
bool Reactor::CanCallJavaScript() const {
  bool has = false;
  return napi_has_element(env_, env_.Global(), 0, &has) == napi_ok;
}

void Reactor::Dispatch() {
  Napi::HandleScope scope(env_);
  if (!CanCallJavaScript()) return Stop();
  struct epoll_event events[kBatch];
  const long count = sys::Call(SYS_epoll_pwait, epoll_.get(), events, kBatch, 0, 0, 8);
  if (count <= 0) return;
  batchSize_ = (int)count;
  for (int i = 0; i < batchSize_; ++i) batch_[i] = static_cast<Watch*>(events[i].data.ptr);
  for (int i = 0; i < batchSize_; ++i)
    if (batch_[i] != nullptr) batch_[i]->OnEvents(events[i].events);
  batchSize_ = 0;
}

}  // namespace sbx
