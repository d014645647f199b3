#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

#include <algorithm>

#include "decode.h"
#include "to_buffer.h"

namespace sbx {
namespace {

constexpr size_t kChunkBytes = 64 * 1024;
constexpr int kReadsPerEvent = 16;  // then others get their turn
// A program can have its pipe keep what it writes apart (O_DIRECT): then each reading brings one such piece.
constexpr long kPieceBytesMax = 4096;
constexpr int kPiecesAtOnce = 64;

char* Chunk() {
  static thread_local char chunk[kChunkBytes];
  return chunk;
}

Napi::FunctionReference Optional(Args& args, const char* name) {
  const Napi::Value value = args.Get(name);
  return value.IsFunction() ? Napi::Persistent(value.As<Napi::Function>()) : Napi::FunctionReference();
}

// What was written by programs that are dead now. What else comes is another's, whom they gave their
// descriptor, and who may write as fast as we read.
long WaitingBytes(int fd) {
  constexpr long kTerminalBytesMax = 64 << 10;  // many times what one holds, part of it where it does not say
  int waiting = 0;
  if (sys::Fcntl(fd, F_GETPIPE_SZ, 0) < 0) return kTerminalBytesMax;
  return sys::Ioctl(fd, FIONREAD, (long)&waiting) < 0 ? 0 : waiting;
}

bool NothingWaits(int fd) {
  constexpr struct timespec kNow = {};
  struct pollfd polled = {fd, POLLIN, 0};
  return sys::Ppoll(&polled, 1, &kNow) == 0;
}

int Nonblocking(int fd) { return sys::Fcntl(fd, F_SETFL, O_NONBLOCK); }

}  // namespace

Napi::Function Reader::Define(Napi::Env env) {
  return DefineClass(env, "Reader",
      {InstanceMethod<&Reader::Finish>("finish"), InstanceMethod<&Reader::EndSoon>("endSoon"),
          InstanceMethod<&Reader::Pause>("pause"), InstanceMethod<&Reader::Resume>("resume"),
          InstanceMethod<&Reader::Close>("close")});
}

Reader::Reader(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<Reader>(info), reactor_(Reactor::Of(info.Env())) {
  fd_.reset(reactor_->TakeBack(info[0].As<Napi::Number>().Int32Value()));
  Args args(info.Env(), info[1]);
  const double limit = args.Number("limitBytes", -1);
  capturing_ = limit >= 0;
  limit_ = capturing_ ? (size_t)limit : 0;
  onData_ = Optional(args, "onData");
  onEnd_ = Optional(args, "onEnd");
  onOverflow_ = Optional(args, "onOverflow");
  int failed = Nonblocking(fd_.get());
  if (failed >= 0) failed = reactor_->Add(fd_.get(), EPOLLIN, this);
  if (failed < 0) ThrowRefused(info.Env(), "watch a pipe", failed);
  else Ref();
}

void Reader::Shut() {
  if (!fd_) return;
  reactor_->Remove(fd_.get(), this);
  fd_.reset();
}

void Reader::End() {
  Shut();
  if (ended_) return;
  ended_ = true;
  reactor_->Call(onEnd_, {});
}

// Counts and keeps what came; returns how much of it counts as output: while capturing, what is within the
// bound.
size_t Reader::Keep(const char* data, size_t size) {
  total_ += (double)size;
  if (!capturing_) return size;
  const size_t room = limit_ - std::min(limit_, captured_.size());
  captured_.Append(data, std::min(room, size));
  return std::min(room, size);
}

void Reader::Take(size_t size) {
  const size_t kept = Keep(Chunk(), size);
  if (kept > 0 && !onData_.IsEmpty())
    reactor_->Call(onData_, {Napi::Buffer<char>::Copy(Env(), Chunk(), kept)});
  if (kept == size || overflowed_) return;
  overflowed_ = true;
  reactor_->Call(onOverflow_, {});  // may close this
}

// As one read. After a short one the next gathers what waits in pieces: an event for each byte is dearer for
// us than for who writes it.
long Reader::Gather() {
  long size = sys::Read(fd_.get(), Chunk(), kChunkBytes);
  const bool isShort = size > 0 && size <= kPieceBytesMax;
  // With less room than a piece can have the rest of it would be lost.
  for (int i = 0; isShort && wasShort_ && i < kPiecesAtOnce && size + kPieceBytesMax <= (long)kChunkBytes;
      ++i) {
    const long more = sys::Read(fd_.get(), Chunk() + size, kChunkBytes - (size_t)size);
    if (more <= 0) break;  // an end is told again
    size += more;
  }
  wasShort_ = isShort;
  return size;
}

// False when there is nothing more for now, or for good.
bool Reader::ReadOnce() {
  const long size = Gather();
  if (size == -EAGAIN) return false;
  if (size <= 0) {  // end; EIO is how a terminal says it
    End();
    return false;
  }
  Take((size_t)size);
  if (last_ >= 0) last_ = std::max(0L, last_ - size);
  EndIfEmpty();
  return fd_ && !paused_ && size == (long)kChunkBytes;
}

void Reader::EndIfEmpty() {
  if (fd_ && last_ >= 0 && !paused_ && (last_ == 0 || NothingWaits(fd_.get()))) End();
}

void Reader::OnEvents(unsigned) {
  Napi::HandleScope scope(Env());
  for (int i = 0; i < kReadsPerEvent && fd_ && ReadOnce(); ++i) continue;
}

void Reader::TakeLast() {
  for (long left = fd_ ? WaitingBytes(fd_.get()) : 0; fd_ && left > 0;) {
    const long size = sys::Read(fd_.get(), Chunk(), kChunkBytes);
    if (size <= 0) return;
    Take((size_t)size);
    left -= size;
  }
}

// The program is dead: takes what is left and closes. Returns [bytes, total], or nothing when nothing came.
Napi::Value Reader::Finish(const Napi::CallbackInfo& info) {
  TakeLast();
  Shut();
  if (total_ == 0) return Close(info);
  const Napi::Array result = Napi::Array::New(info.Env(), 2);
  result.Set(0u, ToBuffer(info.Env(), captured_));
  result.Set(1u, Napi::Number::New(info.Env(), total_));
  (void)Close(info);
  return result;
}

// The program is dead: what is left comes as before, and then the end, whoever else holds the other one.
Napi::Value Reader::EndSoon(const Napi::CallbackInfo& info) {
  if (fd_ && last_ < 0) last_ = WaitingBytes(fd_.get());
  EndIfEmpty();
  return info.Env().Undefined();
}

Napi::Value Reader::Pause(const Napi::CallbackInfo& info) {
  // A closed pipe would report "hung up" for ever, whatever is asked for: it leaves the set.
  if (fd_ && !paused_) reactor_->Remove(fd_.get(), this);
  paused_ = true;
  return info.Env().Undefined();
}

Napi::Value Reader::Resume(const Napi::CallbackInfo& info) {
  if (fd_ && paused_) (void)reactor_->Add(fd_.get(), EPOLLIN, this);
  paused_ = false;
  EndIfEmpty();
  return info.Env().Undefined();
}

Napi::Value Reader::Close(const Napi::CallbackInfo& info) {
  Shut();
  if (!closed_) {
    closed_ = true;
    onData_.Reset();
    onEnd_.Reset();
    onOverflow_.Reset();
    Unref();
  }
  return info.Env().Undefined();
}

Napi::Function Writer::Define(Napi::Env env) {
  return DefineClass(
      env, "Writer", {InstanceMethod<&Writer::Write>("write"), InstanceMethod<&Writer::Close>("close")});
}

Writer::Writer(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<Writer>(info), reactor_(Reactor::Of(info.Env())) {
  fd_.reset(reactor_->TakeBack(info[0].As<Napi::Number>().Int32Value()));
  if (const int failed = Nonblocking(fd_.get()); failed < 0)
    ThrowRefused(info.Env(), "write to a pipe", failed);
}

void Writer::Shut() {
  if (watching_) reactor_->Remove(fd_.get(), this);
  if (watching_) Unref();
  watching_ = false;
  fd_.reset();
}

// 0 when all is written, -EAGAIN when the program does not read, another negative error number when it never
// will.
int Writer::Flush() {
  while (at_ < pending_.size()) {
    const long written = sys::Write(fd_.get(), pending_.data() + at_, pending_.size() - at_);
    if (written < 0) return (int)written;
    at_ += (size_t)written;
  }
  pending_.clear();
  at_ = 0;
  return 0;
}

Napi::Value Writer::Write(const Napi::CallbackInfo& info) {
  const auto bytes = info[0].As<Napi::Uint8Array>();
  const auto give = [&](int error) { return Napi::Number::New(info.Env(), error); };
  if (!fd_) return give(-EPIPE);
  pending_.assign(reinterpret_cast<const char*>(bytes.Data()), bytes.ByteLength());
  at_ = 0;
  const int flushed = Flush();
  if (flushed != -EAGAIN) return give(flushed);
  done_ = Napi::Persistent(info[1].As<Napi::Function>());
  if (!watching_) {
    const int added = reactor_->Add(fd_.get(), EPOLLOUT, this);
    if (added < 0) return give(added);
    watching_ = true;
    Ref();
  }
  return give(1);  // the callback will tell
}

void Writer::OnEvents(unsigned) {
  Napi::HandleScope scope(Env());
  const int flushed = Flush();
  if (flushed == -EAGAIN) return;
  reactor_->Remove(fd_.get(), this);
  watching_ = false;
  const Napi::FunctionReference done = std::move(done_);
  const Napi::Value code = Napi::Number::New(Env(), flushed);
  Unref();
  reactor_->Call(done, {code});
}

Napi::Value Writer::Close(const Napi::CallbackInfo& info) {
  Shut();
  done_.Reset();
  return info.Env().Undefined();
}

}  // namespace sbx
