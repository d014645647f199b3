#include "encode.h"

#include "reactor.h"

namespace sbx {
namespace {

struct StageName {
  const char* name;
  const char* text;
};
constexpr StageName kStages[] = {
#define SBX_STAGE_NAME(name, text) {#name, text},
    SBX_STAGES(SBX_STAGE_NAME)
#undef SBX_STAGE_NAME
};
constexpr size_t kStageCount = sizeof(kStages) / sizeof(kStages[0]);

constexpr const char* kCounters[] = {"cpu", "memoryPeak", "memoryNow", "memoryStat", "memoryEvents", "oomNotice", "taskPeak", "memoryLimit", "swapLimit", "socketLimit", "taskLimit", "procs"};
static_assert(sizeof(kCounters) / sizeof(kCounters[0]) == kCounterCount);

constexpr const char* kCauses[] = {"none", "cpu-limit", "wall-limit", "output-limit", "memory-limit", "killed"};
static_assert(sizeof(kCauses) / sizeof(kCauses[0]) == (size_t)Cause::kKilled + 1);

Napi::Value Figure(Napi::Env env, uint64_t value) { return value == kUnknown ? env.Null() : Napi::Number::New(env, (double)value).As<Napi::Value>(); }

Napi::Array TakeFds(Napi::Env env, Received& received) {
  const Napi::Array fds = Napi::Array::New(env, received.fdCount);
  for (uint32_t i = 0; i < received.fdCount; ++i) fds.Set(i, Napi::Number::New(env, Reactor::Of(env)->Lend(received.fds[i].release())));
  return fds;
}

void EncodeFailed(Napi::Env env, const FailedRecord& record, Napi::Object& object) {
  const auto stage = (size_t)record.stage;
  object.Set("kind", "failed");
  object.Set("programId", record.programId);
  object.Set("stage", stage < kStageCount ? kStages[stage].name : "none");
  object.Set("stageText", stage < kStageCount ? kStages[stage].text : "");
  object.Set("index", record.index);
  object.Set("errno", Napi::Number::New(env, record.error));
}

void EncodeEnded(Napi::Env env, const EndedRecord& record, Napi::Object& object) {
  const auto cause = (size_t)record.cause;
  object.Set("kind", "ended");
  object.Set("programId", record.programId);
  object.Set("waitStatus", record.waitStatus);
  object.Set("cause", cause < sizeof(kCauses) / sizeof(kCauses[0]) ? kCauses[cause] : "none");
  object.Set("cpuNs", Figure(env, record.cpuNs));
  object.Set("wallNs", Figure(env, record.wallNs));
  object.Set("memoryPeakBytes", Figure(env, record.memoryPeakBytes));
  object.Set("memoryBaselineBytes", Figure(env, record.memoryBaselineBytes));
  object.Set("fileCacheBytes", Figure(env, record.fileCacheBytes));
  object.Set("oomKillCount", Figure(env, record.oomKillCount));
  object.Set("taskPeak", Figure(env, record.taskPeak));
  object.Set("taskPeakBefore", Figure(env, record.taskPeakBefore));
  object.Set("maxRssBytes", Figure(env, record.maxRssBytes));
}

// Whether the message is as long as it says, and has as many descriptors beside it.
bool IsWhole(const EndedRecord& record, const OutputEnd* ends, const Received& received) {
  if (record.outputCount > kOutputsMax) return false;
  size_t size = sizeof(record) + record.outputCount * sizeof(OutputEnd);
  if ((size_t)received.size < size) return false;
  unsigned beside = 0;
  for (uint32_t i = 0; i < record.outputCount; ++i) {
    size += ends[i].contentBytes;
    beside += ends[i].isBeside != 0;
  }
  return (size_t)received.size == size && received.fdCount == beside;
}

// Of each: a descriptor, all that it holds, or null when that is nothing.
void EncodeOutputs(Napi::Env env, const EndedRecord& record, const OutputEnd* ends, Received& received, Napi::Object& object) {
  if (record.outputCount == 0) return;
  const Napi::Array outputs = Napi::Array::New(env, record.outputCount);
  const char* content = reinterpret_cast<const char*>(ends + record.outputCount);
  unsigned beside = 0;
  for (uint32_t i = 0; i < record.outputCount; ++i) {
    if (ends[i].isBeside != 0) outputs.Set(i, Napi::Number::New(env, Reactor::Of(env)->Lend(received.fds[beside++].release())));
    else if (ends[i].contentBytes == 0) outputs.Set(i, env.Null());
    else outputs.Set(i, Napi::Buffer<char>::Copy(env, content, ends[i].contentBytes));
    content += ends[i].contentBytes;
  }
  object.Set("outputs", outputs);
}

Napi::Array Names(Napi::Env env, const char* const* names, uint32_t count) {
  const Napi::Array array = Napi::Array::New(env, count);
  for (uint32_t i = 0; i < count; ++i) array.Set(i, names[i]);
  return array;
}

}  // namespace

Napi::Value EncodeMessage(Napi::Env env, const char* message, Received& received) {
  Napi::Object object = Napi::Object::New(env);
  const auto& head = *reinterpret_cast<const Head*>(message);
  const bool sound = received.size >= (long)sizeof(Head) && !received.truncated && head.version == kRecordVersion;
  const auto& ended = *reinterpret_cast<const EndedRecord*>(message);
  const auto* ends = reinterpret_cast<const OutputEnd*>(message + sizeof(ended));
  if (sound && head.kind == Kind::kEnded && received.size >= (long)sizeof(ended) && IsWhole(ended, ends, received)) {
    EncodeEnded(env, ended, object);
    EncodeOutputs(env, ended, ends, received, object);
  } else if (sound && head.kind == Kind::kReady) {
    object.Set("kind", "ready");
    object.Set("fds", TakeFds(env, received));
  } else if (sound && head.kind == Kind::kFailed && received.size == sizeof(FailedRecord)) {
    EncodeFailed(env, *reinterpret_cast<const FailedRecord*>(message), object);
  } else if (sound && head.kind == Kind::kStarted && received.size == sizeof(StartedRecord)) {
    const auto& record = *reinterpret_cast<const StartedRecord*>(message);
    object.Set("kind", "started");
    object.Set("programId", record.programId);
    object.Set("pid", record.pid);
    object.Set("fds", TakeFds(env, received));
  } else {
    object.Set("kind", "closed");  // end of file, or what no helper of ours would say
  }
  return object;
}

Napi::Object EncodeConstants(Napi::Env env) {
  Napi::Object constants = Napi::Object::New(env);
  constants.Set("recordVersion", kRecordVersion);
  constants.Set("counters", Names(env, kCounters, kCounterCount));
  constants.Set("causes", Names(env, kCauses, (uint32_t)Cause::kKilled + 1));
  const Napi::Array stages = Napi::Array::New(env, kStageCount);
  for (uint32_t i = 0; i < kStageCount; ++i) stages.Set(i, kStages[i].name);
  constants.Set("stages", stages);
  constants.Set("planBytesMax", kPlanBytesMax);
  constants.Set("programFdsMax", kProgramFdsMax);
  constants.Set("programContentsMax", kContentsMax);
  constants.Set("programOutputsMax", kOutputsMax);
  constants.Set("programsMax", kProgramsMax);
  constants.Set("mountRowsMax", kMountRowsMax);
  constants.Set("treesMax", kTreesMax);
  return constants;
}

}  // namespace sbx
