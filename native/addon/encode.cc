#include "encode.h"

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

void PutFds(Reactor& reactor, Received& received) {
  reactor.report().Put(received.fdCount);
  for (uint32_t i = 0; i < received.fdCount; ++i) reactor.report().Put(reactor.Lend(received.fds[i].release()));
}

void PutFailed(ReportRow& row, const FailedRecord& record) {
  row.Put(record.programId);
  row.Put((double)record.stage);
  row.Put(record.index);
  row.Put(record.error);
}

void PutEnded(ReportRow& row, const EndedRecord& record) {
  row.Put(record.programId);
  row.Put(record.waitStatus);
  row.Put((double)record.cause);
  row.PutFigure(record.cpuNs);
  row.Put((double)record.wallNs);
  row.PutFigure(record.memoryPeakBytes);
  row.PutFigure(record.fileCacheBytes);
  row.Put((double)record.oomKillCount);
  row.PutFigure(record.taskPeak);
  row.PutFigure(record.taskPeakBefore);
  row.Put((double)record.maxRssBytes);
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

// What stands for an output that is no descriptor.
constexpr double kNothing = -1, kContent = -2;

// Of each: a descriptor, or what stands for one. What they hold, as far as it is told, comes back in a row.
Napi::Value PutOutputs(Reactor& reactor, const EndedRecord& record, const OutputEnd* ends, Received& received) {
  ReportRow& row = reactor.report();
  row.Put(record.outputCount);
  Napi::Array contents;
  const char* content = reinterpret_cast<const char*>(ends + record.outputCount);
  unsigned beside = 0;
  for (uint32_t i = 0; i < record.outputCount; ++i) {
    const uint32_t size = ends[i].contentBytes;
    if (ends[i].isBeside != 0) row.Put(reactor.Lend(received.fds[beside++].release()));
    else row.Put(size == 0 ? kNothing : kContent);
    if (ends[i].isBeside == 0 && size > 0) {
      if (contents.IsEmpty()) contents = Napi::Array::New(reactor.env());
      contents.Set(contents.Length(), Napi::Buffer<char>::Copy(reactor.env(), content, size));
    }
    content += size;
  }
  return contents.IsEmpty() ? reactor.env().Undefined() : contents.As<Napi::Value>();
}

Napi::Array Names(Napi::Env env, const char* const* names, uint32_t count) {
  const Napi::Array array = Napi::Array::New(env, count);
  for (uint32_t i = 0; i < count; ++i) array.Set(i, names[i]);
  return array;
}

}  // namespace

Napi::Value PutReport(Reactor& reactor, const char* message, Received& received) {
  ReportRow& row = reactor.report();
  row.Begin();
  const auto& head = *reinterpret_cast<const Head*>(message);
  const bool sound = received.size >= (long)sizeof(Head) && !received.truncated && head.version == kRecordVersion;
  const auto& ended = *reinterpret_cast<const EndedRecord*>(message);
  const auto* ends = reinterpret_cast<const OutputEnd*>(message + sizeof(ended));
  if (sound && head.kind == Kind::kEnded && received.size >= (long)sizeof(ended) && IsWhole(ended, ends, received)) {
    row.Put((double)Kind::kEnded);
    PutEnded(row, ended);
    return PutOutputs(reactor, ended, ends, received);
  }
  if (sound && head.kind == Kind::kReady && received.size == sizeof(ReadyRecord)) {
    row.Put((double)Kind::kReady);
    row.PutFigure(reinterpret_cast<const ReadyRecord*>(message)->heldBytes);
    PutFds(reactor, received);
  } else if (sound && head.kind == Kind::kFailed && received.size == sizeof(FailedRecord)) {
    row.Put((double)Kind::kFailed);
    PutFailed(row, *reinterpret_cast<const FailedRecord*>(message));
  } else if (sound && head.kind == Kind::kStarted && received.size == sizeof(StartedRecord)) {
    const auto& record = *reinterpret_cast<const StartedRecord*>(message);
    row.Put((double)Kind::kStarted);
    row.Put(record.programId);
    row.Put(record.pid);
    PutFds(reactor, received);
  } else {
    row.Put(0);  // end of file, or what no helper of ours would say
  }
  return reactor.env().Undefined();
}

Napi::Object EncodeConstants(Napi::Env env) {
  Napi::Object constants = Napi::Object::New(env);
  constants.Set("recordVersion", kRecordVersion);
  constants.Set("counters", Names(env, kCounters, kCounterCount));
  constants.Set("causes", Names(env, kCauses, (uint32_t)Cause::kKilled + 1));
  const Napi::Array stages = Napi::Array::New(env, kStageCount), stageTexts = Napi::Array::New(env, kStageCount);
  for (uint32_t i = 0; i < kStageCount; ++i) {
    stages.Set(i, kStages[i].name);
    stageTexts.Set(i, kStages[i].text);
  }
  constants.Set("stages", stages);
  constants.Set("stageTexts", stageTexts);
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
