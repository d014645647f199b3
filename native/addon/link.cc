// Every method returns 0 or a negative error number; nothing here throws but for properties of the wrong type.
#include "link.h"

#include <errno.h>
#include <sys/epoll.h>

#include "decode.h"
#include "encode.h"
#include "../common/memory_file.h"
#include "tail.h"

namespace sbx {
namespace {

// A plan of any size as a sealed memory file, for messages that a socket would not take: init reads what was checked here.
int PlanFile(const std::string& plan) {
  const int made = NewMemoryFile("sbx-plan");
  if (made < 0) return made;
  Fd file(made);
  if (const int written = WriteAll(made, plan.data(), plan.size()); written < 0) return written;
  const int sealed = Seal(made);
  return sealed < 0 ? sealed : file.release();
}

}  // namespace

Napi::Function Link::Define(Napi::Env env) {
  return DefineClass(env, "Channel",
                     {InstanceMethod<&Link::Template>("template"), InstanceMethod<&Link::NewSlot>("newSlot"), InstanceMethod<&Link::Groups>("groups"), InstanceMethod<&Link::Prepare>("prepare"),
                      InstanceMethod<&Link::Start>("start"), InstanceMethod<&Link::HandOver>("handOver"), InstanceMethod<&Link::Signal>("signal"),
                      InstanceMethod<&Link::Listen>("listen"), InstanceMethod<&Link::Take>("take"), InstanceMethod<&Link::Close>("close")});
}

Link::Link(const Napi::CallbackInfo& info) : Napi::ObjectWrap<Link>(info), reactor_(Reactor::Of(info.Env())) {
  socket_.reset(reactor_->TakeBack(info[0].As<Napi::Number>().Int32Value()));
  onMessage_ = Napi::Persistent(info[1].As<Napi::Function>());
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
  const Napi::Value encoded = EncodeMessage(Env(), message, received);
  if (received.size <= 0) Shut();
  return encoded;
}

void Link::OnEvents(unsigned) {
  Napi::HandleScope scope(Env());
  if (const Napi::Value message = Next(); !message.IsNull()) reactor_->Call(onMessage_, {message});
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

Napi::Value Link::Prepare(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  PrepareRecord record;
  record.loopback = args.Flag("loopback");
  record.seccompProfile = args.Flag("strict") ? SeccompProfile::kStrict : SeccompProfile::kDefault;
  record.seccompKill = args.Flag("seccompKill");
  record.terminal = args.Flag("terminal");
  record.diskBytes = args.Uint64("diskBytes", 0);
  record.diskFileCount = args.Uint64("diskFileCount", 0);
  Args before(info.Env(), info[1]);
  const std::vector<int> left = before.Ints("left");
  if (args.failed() || before.failed()) return {};
  int pair[2];
  if (const long made = sys::SocketPair(SOCK_SEQPACKET, pair); made < 0) return Result(info.Env(), (int)made);
  Fd ours(pair[0]), inits(pair[1]);
  std::vector<int> fds = {inits.get()};
  fds.insert(fds.end(), left.begin(), left.end());
  const int sent = SendRecord(&record, sizeof(record), fds);
  return Result(info.Env(), sent < 0 ? sent : reactor_->Lend(ours.release()));
}

namespace {

// What the program may use.
template <class Record>
void DecodeLimits(Args& args, Record& record) {
  record.programId = args.Uint("programId");
  record.cpuLimitNs = args.Uint64("cpuLimitNs", 0);
  record.wallLimitNs = args.Uint64("wallLimitNs", 0);
  record.memoryLimitBytes = args.Uint64("memoryLimitBytes", 0);
  record.cpuCount = args.Uint("cpuCount");
}

// Fixed parts of a start.
void DecodeFixed(Args& args, StartRecord& record) {
  record.flags = (args.Flag("oneShot") ? kStartOneShot : 0) | (args.Flag("notify") ? kStartNotify : 0) | (args.Flag("terminal") ? kStartTerminal : 0) | (args.Flag("ownGroup") ? kStartOwnGroup : 0) | (args.Flag("findFirst") ? kStartFindFirst : 0) | (args.Flag("ahead") ? kStartAhead : 0);
  DecodeLimits(args, record);
  record.turns = args.Uint("turns", 0);
  record.cols = args.Uint("cols", 80);
  record.rows = args.Uint("rows", 24);
  record.counterMask = args.Uint("counterMask", 0);
  record.oomEventfd = args.Flag("oomEventfd");
}

void AddTyped(Napi::Value value, Tail& tail, StartRecord& record) {
  const std::string_view typed = BytesOf(value);
  record.typedSize = (uint32_t)typed.size();
  if (!typed.empty()) record.typed = tail.Add(typed);
}

bool DecodeFdRows(Args& args, StartRecord& record) {
  // Triples: target, flags, which.
  const std::vector<int> rows = args.Ints("fdRows");
  record.fdCount = (uint32_t)rows.size() / 3;
  if (record.fdCount > kProgramFdsMax) return false;
  for (uint32_t i = 0; i < record.fdCount; ++i) record.fds[i] = {(uint16_t)rows[3 * i], (uint8_t)rows[3 * i + 1], (uint8_t)rows[3 * i + 2]};
  return true;
}

bool DecodeContents(Args& args, StartRecord& record, Tail& tail) {
  const Napi::Array contents = args.Array("contents");
  record.contentCount = contents.Length();
  if (record.contentCount > kContentsMax) return false;
  for (uint32_t i = 0; i < record.contentCount; ++i) {
    const std::string_view bytes = BytesOf(contents.Get(i));
    record.contents[i] = {tail.Add(bytes), (uint32_t)bytes.size()};
  }
  return true;
}

bool DecodeOutputs(Args& args, StartRecord& record, Tail& tail) {
  // Triples: tree, mode, whether its descriptor is wanted.
  const std::vector<int> rows = args.Ints("outputRows");
  const std::vector<std::string> paths = args.Texts("outputPaths");
  if (paths.size() > kOutputsMax || rows.size() != 3 * paths.size()) return false;
  record.outputCount = (uint32_t)paths.size();
  for (uint32_t i = 0; i < record.outputCount; ++i) record.outputs[i] = {(uint16_t)rows[3 * i], (uint16_t)rows[3 * i + 1], (uint32_t)rows[3 * i + 2], tail.Add(paths[i])};
  return true;
}

bool DecodeRlimits(Napi::Env env, Args& args, StartRecord& record) {
  // Triples: resource, soft, hard; -1 is unlimited.
  const Napi::Array rows = args.Array("rlimits");
  record.rlimitCount = rows.Length() / 3;
  if (record.rlimitCount > kRlimitsMax) return false;
  const auto value = [&](uint32_t i) {
    const double number = rows.Get(i).As<Napi::Number>().DoubleValue();
    return number < 0 ? ~0ULL : (uint64_t)number;
  };
  for (uint32_t i = 0; i < record.rlimitCount; ++i) record.rlimits[i] = {(uint32_t)value(3 * i), 0, value(3 * i + 1), value(3 * i + 2)};
  return !env.IsExceptionPending();
}

bool DecodeWrites(Args& args, StartRecord& record, Tail& tail) {
  const std::vector<int> counters = args.Ints("writeCounters");
  const std::vector<std::string> texts = args.Texts("writeTexts");
  if (counters.size() > kWritesMax || counters.size() != texts.size()) return false;
  record.writeCount = (uint32_t)counters.size();
  // Optional: where swap is not accounted, the host has said so, and kernels are about to lose the limit for sockets of v1.
  const auto optional = [](int counter) { return counter == kCounterSwapLimit || counter == kCounterSocketLimit; };
  for (uint32_t i = 0; i < record.writeCount; ++i) record.writes[i] = {(uint16_t)counters[i], optional(counters[i]), tail.Add(texts[i])};
  return true;
}

void AddStrings(const std::vector<std::string>& strings, Tail& tail, uint32_t& count) {
  count = (uint32_t)strings.size();
  for (const std::string& text : strings) (void)tail.Add(text);
}

}  // namespace

Napi::Value Link::Start(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  StartRecord record = {};
  Tail tail(sizeof(record));
  DecodeFixed(args, record);
  if (!DecodeFdRows(args, record) || !DecodeRlimits(info.Env(), args, record) || !DecodeWrites(args, record, tail) || !DecodeContents(args, record, tail) || !DecodeOutputs(args, record, tail)) return Result(info.Env(), -E2BIG);
  std::vector<int> fds = args.Ints("fds");
  const std::vector<int> joins = args.Ints("joins"), counters = args.Ints("counters");
  record.joinCount = (uint32_t)joins.size();
  fds.insert(fds.end(), joins.begin(), joins.end());
  fds.insert(fds.end(), counters.begin(), counters.end());
  record.cwd = tail.Add(args.Text("cwd"));
  AddTyped(args.Get("typed"), tail, record);
  record.strings = tail.next();
  AddStrings(args.Texts("paths"), tail, record.pathCount);
  AddStrings(args.Texts("args"), tail, record.argCount);
  AddStrings(args.Texts("env"), tail, record.envCount);
  record.size = tail.next();
  if (args.failed() || info.Env().IsExceptionPending()) return {};
  if (record.size > kPlanBytesMax) return Result(info.Env(), -E2BIG);
  constexpr uint32_t kStringsInMessage = 8000;  // init's table for plans in a message has little more
  if (record.size <= kMessageBytesMax && record.pathCount + record.argCount + record.envCount < kStringsInMessage) {
    const std::string message = Bytes(record, tail.bytes());
    return Result(info.Env(), SendRecord(message.data(), message.size(), fds));
  }
  record.flags |= kStartInFile;
  Fd file(PlanFile(Bytes(record, tail.bytes())));
  if (!file) return Result(info.Env(), -ENOMEM);
  fds.insert(fds.begin(), file.get());
  return Result(info.Env(), SendRecord(&record, sizeof(record), fds));
}

Napi::Value Link::HandOver(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  HandOverRecord record;
  DecodeLimits(args, record);
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
  if (socket_ || !onMessage_.IsEmpty()) {
    Shut();
    if (!onMessage_.IsEmpty()) {
      onMessage_.Reset();
      Unref();
    }
  }
  return info.Env().Undefined();
}

}  // namespace sbx
