// Every method returns 0 or a negative error number; nothing here throws but for properties of the wrong
// type.
#include "link.h"

#include <errno.h>
#include <sys/epoll.h>

#include "decode.h"
#include "encode.h"
#include "numbers.h"

namespace sbx {
namespace {

void AppendInts(Napi::Value value, std::vector<int>& list) {
  const auto array = value.As<Napi::Array>();
  for (uint32_t i = 0; i < array.Length(); ++i) list.push_back(array.Get(i).As<Napi::Number>().Int32Value());
}

}  // namespace

Napi::Function Link::Define(Napi::Env env) {
  return DefineClass(env, "Channel",
      {InstanceMethod<&Link::Template>("template"), InstanceMethod<&Link::NewSlot>("newSlot"),
          InstanceMethod<&Link::Groups>("groups"), InstanceMethod<&Link::Prepare>("prepare"),
          InstanceMethod<&Link::Start>("start"), InstanceMethod<&Link::Activate>("activate"),
          InstanceMethod<&Link::Signal>("signal"), InstanceMethod<&Link::MakeSocket>("makeSocket"),
          InstanceMethod<&Link::Listen>("listen"), InstanceMethod<&Link::Take>("take"),
          InstanceMethod<&Link::Close>("close")});
}

Link::Link(const Napi::CallbackInfo& info) : Napi::ObjectWrap<Link>(info), reactor_(Reactor::Of(info.Env())) {
  socket_.reset(reactor_->TakeBack(info[0].As<Napi::Number>().Int32Value()));
  onReport_ = Napi::Persistent(info[1].As<Napi::Function>());
  const bool quiet = info[2].ToBoolean();
  const int added = quiet ? 0 : BeHeard();
  if (added < 0) ThrowRefused(info.Env(), "watch a socket", added);
  else Ref();  // lives until closed, whatever JavaScript still holds
}

int Link::BeHeard() {
  if (heard_ || !socket_) return 0;
  const int added = reactor_->Add(socket_.get(), EPOLLIN, this);
  heard_ = added >= 0;
  return added;
}

Link::~Link() { Shut(); }

void Link::Shut() {
  if (!socket_) return;
  if (heard_) reactor_->Remove(socket_.get(), this);
  heard_ = false;
  socket_.reset();
}

Napi::Value Link::Next() {
  if (!socket_) return Env().Null();
  alignas(8) char message[kReportBytesMax];
  Received received;
  Receive(socket_.get(), message, sizeof(message), received, MSG_DONTWAIT);
  if (received.size == -EAGAIN) return Env().Null();
  const Napi::Value contents = PutReport(*reactor_, message, received);
  if (received.size <= 0) Shut();
  return contents;
}

void Link::OnEvents(unsigned) {
  Napi::HandleScope scope(Env());
  if (const Napi::Value contents = Next(); !contents.IsNull()) reactor_->Call(onReport_, {contents});
}

Napi::Value Link::Listen(const Napi::CallbackInfo& info) { return Result(info.Env(), BeHeard()); }

Napi::Value Link::Take(const Napi::CallbackInfo&) { return Next(); }

int Link::SendRecord(const void* data, size_t size, const std::vector<int>& fds) {
  if (!socket_) return -EPIPE;
  if (fds.size() > kDescriptorsMax) return -EMFILE;
  return Send(socket_.get(), data, size, fds.data(), (unsigned)fds.size(), MSG_DONTWAIT);
}

// All but the template come as rows of numbers, (numbers, how many), and what is not a number after them.
template <typename Record>
Napi::Value Link::SendComplete(const Napi::CallbackInfo& info, const Numbers& numbers, const Record& record,
    const std::vector<int>& fds) {
  return Result(info.Env(), numbers.Complete() ? SendRecord(&record, sizeof(record), fds) : -E2BIG);
}

// (…, keeper's end)
Napi::Value Link::NewSlot(const Napi::CallbackInfo& info) {
  Numbers numbers(info);
  NewSlotRecord record;
  Decode(numbers, record);
  return SendComplete(info, numbers, record, {info[1].As<Napi::Number>().Int32Value()});
}

// (…, joins, counters, folder)
Napi::Value Link::Groups(const Napi::CallbackInfo& info) {
  Numbers numbers(info);
  GroupsRecord record;
  Decode(numbers, record);
  std::vector<int> fds;
  AppendInts(info[1], fds);
  record.joinCount = (uint32_t)fds.size();
  AppendInts(info[2], fds);
  const int folder = info[3].As<Napi::Number>().Int32Value();
  record.hasFolder = folder >= 0;
  if (folder >= 0) fds.push_back(folder);
  return SendComplete(info, numbers, record, fds);
}

// (…, descriptors to close)
Napi::Value Link::Prepare(const Napi::CallbackInfo& info) {
  Numbers numbers(info);
  PrepareRecord record;
  Decode(numbers, record);
  int pair[2];
  if (const long made = sys::SocketPair(SOCK_SEQPACKET, pair); made < 0) return Result(info.Env(), (int)made);
  Fd ours(pair[0]), inits(pair[1]);
  std::vector<int> fds = {inits.get()};
  AppendInts(info[1], fds);
  const int sent = numbers.Complete() ? SendRecord(&record, sizeof(record), fds) : -E2BIG;
  return Result(info.Env(), sent < 0 ? sent : reactor_->Lend(ours.release()));
}

Napi::Value Link::Activate(const Napi::CallbackInfo& info) {
  Numbers numbers(info);
  ActivateRecord record;
  Decode(numbers, record);
  record.startNs = (uint64_t)sys::MonotonicNs();
  return SendComplete(info, numbers, record, {});
}

Napi::Value Link::Signal(const Napi::CallbackInfo& info) {
  Numbers numbers(info);
  SignalRecord record;
  Decode(numbers, record);
  return SendComplete(info, numbers, record, {});
}

Napi::Value Link::MakeSocket(const Napi::CallbackInfo& info) {
  Numbers numbers(info);
  MakeSocketRecord record;
  Decode(numbers, record);
  return SendComplete(info, numbers, record, {});
}

Napi::Value Link::Close(const Napi::CallbackInfo& info) {
  if (socket_ || !onReport_.IsEmpty()) {
    Shut();
    if (!onReport_.IsEmpty()) {
      onReport_.Reset();
      Unref();
    }
  }
  return info.Env().Undefined();
}

}  // namespace sbx
