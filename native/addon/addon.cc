// What JavaScript sees of the addon. Mechanism only: policy is in packages/core.
#include <errno.h>
#include <malloc.h>
#include <sys/wait.h>

#include "decode.h"
#include "encode.h"
#include "files.h"
#include "gate.h"
#include "held_files.h"
#include "link.h"
#include "reactor.h"
#include "relay.h"
#include "spawn.h"
#include "streams.h"
#include "uncounted.h"

namespace sbx {
namespace {

// { path, rootless } -> { error } or { channel, pidfd, pid }
Napi::Value SpawnHelperCall(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const std::string path = args.Text("path");
  const bool rootless = args.Flag("rootless");
  if (args.failed()) return {};
  Spawned spawned = SpawnHelper(path.c_str(), rootless);
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("error", spawned.error);
  result.Set("pid", spawned.pid);
  Reactor* reactor = Reactor::Of(info.Env());
  if (spawned.error == 0) reactor->AddHelper(spawned.pidfd.get(), spawned.channel.get());
  result.Set("channel", reactor->Lend(spawned.channel.release()));
  result.Set("pidfd", reactor->Lend(spawned.pidfd.release()));
  return result;
}

// (pidfd): end of file on its channel, whoever else holds it.
Napi::Value EndHelper(const Napi::CallbackInfo& info) {
  Reactor::Of(info.Env())->TellHelperToEnd(info[0].As<Napi::Number>().Int32Value());
  return info.Env().Undefined();
}

// (pidfd) -> true when the helper has ended and is reaped now.
Napi::Value ReapHelper(const Napi::CallbackInfo& info) {
  siginfo_t ended = {};
  const int pidfd = info[0].As<Napi::Number>().Int32Value();
  const int got = sys::WaitId(P_PIDFD, pidfd, &ended, WEXITED | WNOHANG | __WALL, nullptr);
  const bool reaped = got == -ECHILD || (got == 0 && ended.si_pid != 0);
  if (reaped) Reactor::Of(info.Env())->RemoveHelper(pidfd);
  return Napi::Boolean::New(info.Env(), reaped);
}

Napi::Value SignalHelper(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(),
      sys::PidfdSendSignal(info[0].As<Napi::Number>().Int32Value(), info[1].As<Napi::Number>().Int32Value()));
}

// () -> [host's end, helper's end] of a SEQPACKET pair
Napi::Value MakeChannelPair(const Napi::CallbackInfo& info) {
  int pair[2];
  const int made = sys::SocketPair(SOCK_SEQPACKET, pair);
  if (made < 0) return Napi::Number::New(info.Env(), made);
  const Napi::Array result = Napi::Array::New(info.Env(), 2);
  for (uint32_t i = 0; i < 2; ++i)
    result.Set(i, Napi::Number::New(info.Env(), Reactor::Of(info.Env())->Lend(pair[i])));
  return result;
}

// () -> { landlockAbi, coreScheduling }: what this kernel has; a negative error number where it has not.
Napi::Value ProbeKernel(const Napi::CallbackInfo& info) {
  constexpr int kCreateRuleset = 444, kAskVersion = 1;  // LANDLOCK_CREATE_RULESET_VERSION
  constexpr int kSchedCore = 62, kGet = 0;              // PR_SCHED_CORE, PR_SCHED_CORE_GET
  uint64_t cookie = 0;
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("landlockAbi",
      Napi::Number::New(info.Env(), (double)sys::Call(kCreateRuleset, nullptr, 0, kAskVersion)));
  result.Set("coreScheduling",
      Napi::Number::New(info.Env(), (double)sys::Call(SYS_prctl, kSchedCore, kGet, 0, 0, &cookie)));
  return result;
}

// () -> whether the C library could give free memory back
Napi::Value TrimMemory(const Napi::CallbackInfo& info) {
#ifdef __GLIBC__
  malloc_trim(0);
  return Napi::Boolean::New(info.Env(), true);
#else
  return Napi::Boolean::New(info.Env(), false);
#endif
}

Napi::Value HoldLoop(const Napi::CallbackInfo& info) {
  Reactor::Of(info.Env())->Hold();
  return info.Env().Undefined();
}
Napi::Value ReleaseLoop(const Napi::CallbackInfo& info) {
  Reactor::Of(info.Env())->Release();
  return info.Env().Undefined();
}

struct Export {
  const char* name;
  Napi::Value (*function)(const Napi::CallbackInfo&);
};
constexpr Export kExports[] = {
    {"spawnHelper", SpawnHelperCall},
    {"endHelper", EndHelper},
    {"reapHelper", ReapHelper},
    {"signalHelper", SignalHelper},
    {"channelPair", MakeChannelPair},
    {"probeKernel", ProbeKernel},
    {"trimMemory", TrimMemory},
    {"holdLoop", HoldLoop},
    {"releaseLoop", ReleaseLoop},
    {"openBeneath", OpenBeneath},
    {"makeFolder", MakeFolder},
    {"makeSymlink", MakeSymlink},
    {"renameIn", RenameIn},
    {"linkIn", LinkIn},
    {"setTimes", SetTimes},
    {"createFile", CreateFile},
    {"fillFile", FillFile},
    {"readFileBeneath", ReadFileBeneath},
    {"readLinkBeneath", ReadLinkBeneath},
    {"removeTree", RemoveTree},
    {"openOutput", OpenOutput},
    {"takeFile", TakeFile},
    {"giveAway", GiveAway},
    {"readOnlyFile", ReadOnlyFile},
    {"copyFile", CopyFile},
    {"copyWithin", CopyWithin},
    {"pipe", MakePipe},
    {"memoryFile", MakeMemoryFile},
    {"eventFd", MakeEventFd},
    {"claimName", ClaimName},
    {"closeFds", CloseFds},
    {"duplicateFd", DuplicateFd},
    {"resizeTerminal", ResizeTerminal},
    {"readCounterFile", ReadCounterFile},
    {"countUncounted", CountUncounted},
};

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  env.SetInstanceData(new Reactor(env));
  for (const Export& entry : kExports)
    exports.Set(entry.name, Napi::Function::New(env, entry.function, entry.name));
  exports.Set("Channel", Link::Define(env));
  exports.Set("Gate", Gate::Define(env));
  exports.Set("Reader", Reader::Define(env));
  exports.Set("Writer", Writer::Define(env));
  exports.Set("Relay", Relay::Define(env));
  exports.Set("protocolVersion", kRecordVersion);
  exports.Set("report", Reactor::Of(env)->report().array());
  return exports;
}

}  // namespace
}  // namespace sbx

using sbx::Init;
NODE_API_MODULE(sbx, Init)
