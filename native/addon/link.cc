// Every method returns 0 or a negative error number; nothing here throws but for properties of the wrong type.
#include "link.h"

#include <errno.h>
#include <sys/epoll.h>

#include "decode.h"
#include "encode.h"

namespace sbx {

Napi::Function Link::Define(Napi::Env env) {
  return DefineClass(env, "Channel",
                     {InstanceMethod<&Link::Template>("template"), InstanceMethod<&Link::NewSlot>("newSlot"), InstanceMethod<&Link::Groups>("groups"), InstanceMethod<&Link::Prepare>("prepare"),
                      InstanceMethod<&Link::Start>("start"), InstanceMethod<&Link::HandOver>("handOver"), InstanceMethod<&Link::Signal>("signal"),
                      InstanceMethod<&Link::Listen>("listen"), InstanceMethod<&Link::Take>("take"), InstanceMethod<&Link::Close>("close")});
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

Napi::Value Link::NewSlot(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  NewSlotRecord record;
  record.slotId = args.Uint("slotId");
  record.uidBase = args.Uint("uidBase");
  const std::vector<int> fds = {args.Int("channel")};
  if (args.failed()) return {};
  return Result(info.Env(), SendRecord(&record, sizeof(record), fds));
}

Napi::Value Link::Groups(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  GroupsRecord record;
  std::vector<int> fds = args.Ints("joins");
  record.joinCount = (uint32_t)fds.size();
  record.counterMask = args.Uint("counterMask");
  record.oomEventfd = args.Flag("oomEventfd");
  const std::vector<int> counters = args.Ints("counters");
  fds.insert(fds.end(), counters.begin(), counters.end());
  const int folder = (int)args.Number("folder", -1);
  record.hasFolder = folder >= 0;
  if (folder >= 0) fds.push_back(folder);
  if (args.failed()) return {};
  return Result(info.Env(), SendRecord(&record, sizeof(record), fds));
}

// (flags, diskBytes, diskFileCount, left)
Napi::Value Link::Prepare(const Napi::CallbackInfo& info) {
  PrepareRecord record;
  record.flags = info[0].As<Napi::Number>().Uint32Value();
  record.diskBytes = (uint64_t)info[1].As<Napi::Number>().DoubleValue();
  record.diskFileCount = (uint64_t)info[2].As<Napi::Number>().DoubleValue();
  const auto left = info[3].As<Napi::Array>();
  int pair[2];
  if (const long made = sys::SocketPair(SOCK_SEQPACKET, pair); made < 0) return Result(info.Env(), (int)made);
  Fd ours(pair[0]), inits(pair[1]);
  std::vector<int> fds = {inits.get()};
  for (uint32_t i = 0; i < left.Length(); ++i) fds.push_back(left.Get(i).As<Napi::Number>().Int32Value());
  const int sent = SendRecord(&record, sizeof(record), fds);
  return Result(info.Env(), sent < 0 ? sent : reactor_->Lend(ours.release()));
}

Napi::Value Link::HandOver(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  HandOverRecord record;
  record.programId = args.Uint("programId");
  record.cpuLimitNs = args.Uint64("cpuLimitNs", 0);
  record.wallLimitNs = args.Uint64("wallLimitNs", 0);
  record.memoryLimitBytes = args.Uint64("memoryLimitBytes", 0);
  record.cpuCount = args.Uint("cpuCount");
  const double cpuBaseNs = args.Number("cpuBaseNs", -1);
  record.cpuBaseNs = cpuBaseNs < 0 ? kUnknown : (uint64_t)cpuBaseNs;
  record.startNs = (uint64_t)sys::MonotonicNs();
  if (args.failed()) return {};
  return Result(info.Env(), SendRecord(&record, sizeof(record), {}));
}

Napi::Value Link::Signal(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  SignalRecord record;
  record.programId = args.Uint("programId");
  record.signal = args.Int("signal");
  record.everything = args.Flag("everything");
  record.cause = (Cause)args.Uint("cause");
  if (args.failed()) return {};
  return Result(info.Env(), SendRecord(&record, sizeof(record), {}));
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
