#include "encode.h"

#include <errno.h>

namespace sbx {
namespace {

void PutFds(Reactor& reactor, Received& received) {
  reactor.report().Put(received.fdCount);
  for (uint32_t i = 0; i < received.fdCount; ++i)
    reactor.report().Put(reactor.Lend(received.fds[i].release()));
}

#define SBX_PUT(type, name, as) SBX_PUT_##as(record.name)
#define SBX_PUT_number(number) row.Put((double)number);
#define SBX_PUT_figure(figure) row.PutFigure(figure);
#define SBX_PUT_cause(cause) row.Put((double)cause);
#define SBX_PUT_stage(stage) row.Put((double)stage);
void Put(ReportRow& row, const ReadyRecord& record) {
#define SBX_READY SBX_PUT
#include "../protocol/reports.def"
}
void Put(ReportRow& row, const FailedRecord& record) {
#define SBX_FAILED SBX_PUT
#include "../protocol/reports.def"
}
void Put(ReportRow& row, const StartedRecord& record) {
#define SBX_STARTED SBX_PUT
#include "../protocol/reports.def"
}
void Put(ReportRow& row, const EndedRecord& record) {
#define SBX_ENDED SBX_PUT
#include "../protocol/reports.def"
}
void Put(ReportRow& row, const SocketRecord& record) {
#define SBX_SOCKET SBX_PUT
#include "../protocol/reports.def"
}
#undef SBX_PUT

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
Napi::Value PutOutputs(
    Reactor& reactor, const EndedRecord& record, const OutputEnd* ends, Received& received) {
  ReportRow& row = reactor.report();
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

// Descriptors that came with a report had no room in this process: that is all there is to say of it.
void PutNoRoom(ReportRow& row) {
  FailedRecord record;
  record.stage = Stage::k_message;
  record.errorNumber = EMFILE;
  row.Put((double)Kind::kFailed);
  Put(row, record);
}

}  // namespace

Napi::Value PutReport(Reactor& reactor, const char* message, Received& received) {
  ReportRow& row = reactor.report();
  row.Begin();
  const auto& head = *reinterpret_cast<const Head*>(message);
  const bool sound =
      received.size >= (long)sizeof(Head) && !received.truncated && head.version == kRecordVersion;
  const auto& ended = *reinterpret_cast<const EndedRecord*>(message);
  const auto* ends = reinterpret_cast<const OutputEnd*>(message + sizeof(ended));
  if (sound && head.kind == Kind::kEnded && received.size >= (long)sizeof(ended) &&
      IsWhole(ended, ends, received)) {
    row.Put((double)Kind::kEnded);
    Put(row, ended);
    return PutOutputs(reactor, ended, ends, received);
  }
  if (sound && head.kind == Kind::kReady && received.size == sizeof(ReadyRecord)) {
    row.Put((double)Kind::kReady);
    Put(row, *reinterpret_cast<const ReadyRecord*>(message));
    PutFds(reactor, received);
  } else if (sound && head.kind == Kind::kFailed && received.size == sizeof(FailedRecord)) {
    row.Put((double)Kind::kFailed);
    Put(row, *reinterpret_cast<const FailedRecord*>(message));
  } else if (sound && head.kind == Kind::kStarted && received.size == sizeof(StartedRecord)) {
    row.Put((double)Kind::kStarted);
    Put(row, *reinterpret_cast<const StartedRecord*>(message));
    PutFds(reactor, received);
  } else if (sound && head.kind == Kind::kSocket && received.size == sizeof(SocketRecord)) {
    row.Put((double)Kind::kSocket);
    Put(row, *reinterpret_cast<const SocketRecord*>(message));
    PutFds(reactor, received);
  } else if (received.size > 0 && received.truncated) {
    PutNoRoom(row);
  } else {
    row.Put(0);  // end of file, or what no helper of ours would say
  }
  return reactor.env().Undefined();
}

}  // namespace sbx
