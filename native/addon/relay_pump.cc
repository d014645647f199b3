#include "relay_pump.h"

#include <errno.h>
#include <sys/ioctl.h>

#include <algorithm>

namespace sbx {
namespace {

constexpr size_t kChunkBytes = 64 * 1024;
constexpr int kStepsPerRun = 8;  // then others get their turn
constexpr int kFinishRuns = 64;  // the largest pipe that a program can have, many times over

char* Chunk() {
  static thread_local char chunk[kChunkBytes];
  return chunk;
}

}  // namespace

RelayPump::RelayPump(Fd source, Fd sink, size_t keepMax, bool drain)
    : source_(static_cast<Fd&&>(source)), sink_(static_cast<Fd&&>(sink)), keepMax_(keepMax), drain_(drain) {
  // Open files of the host's alone: the programs' ends have flags of their own. Cannot fail for a pipe.
  (void)sys::Fcntl(source_.get(), F_SETFL, O_NONBLOCK);
  (void)sys::Fcntl(sink_.get(), F_SETFL, O_NONBLOCK);
}

void RelayPump::Close() {
  source_.reset();
  sink_.reset();
  pending_.clear();
}

void RelayPump::OnSinkGone() {
  sink_.reset();
  pending_.clear();
  if (!drain_) Close();
}

// A short reading has emptied the pipe: the next one would only say so.
RelayPump::Step RelayPump::Took(long size) {
  bulk_ = size == (long)kChunkBytes;
  return bulk_ ? Step::kAgain : Step::kInput;
}

RelayPump::Step RelayPump::Copy() {
  const long size = sys::Read(source_.get(), Chunk(), kChunkBytes);
  if (size == -EAGAIN) return Step::kInput;
  if (size <= 0) {
    Close();
    return Step::kAgain;
  }
  total_ += (uint64_t)size;
  kept_.Append(Chunk(), std::min((size_t)size, keepMax_ - kept_.size()));
  if (!sink_) return Took(size);
  long written = sys::Write(sink_.get(), Chunk(), (size_t)size);
  if (written == -EAGAIN) written = 0;
  if (written == size) return Took(size);
  if (written < 0) {
    OnSinkGone();
    return Step::kAgain;
  }
  pending_.assign(Chunk() + written, (size_t)(size - written));
  at_ = 0;
  return Step::kOutput;
}

RelayPump::Step RelayPump::Flush() {
  const long written = sys::Write(sink_.get(), pending_.data() + at_, pending_.size() - at_);
  if (written == -EAGAIN) return Step::kOutput;
  if (written < 0) {
    OnSinkGone();
    return Step::kAgain;
  }
  at_ += (size_t)written;
  if (at_ == pending_.size()) pending_.clear();
  return Step::kAgain;
}

RelayPump::Step RelayPump::Move() {
  const long size = sys::CallRetry(
      SYS_splice, source_.get(), 0, sink_.get(), 0, kChunkBytes, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  if (size > 0) {
    total_ += (uint64_t)size;
    return Took(size);
  }
  if (size == -EAGAIN) {  // it does not say which of the two
    int waiting = 0;
    (void)sys::Ioctl(source_.get(), FIONREAD, (long)&waiting);
    return waiting > 0 ? Step::kOutput : Step::kInput;
  }
  if (size == -EPIPE) OnSinkGone();
  else Close();
  return Step::kAgain;
}

RelayPump::Wait RelayPump::Run() {
  for (int i = 0; i < kStepsPerRun && source_; ++i) {
    const Step step = !pending_.empty()                            ? Flush()
                      : bulk_ && sink_ && kept_.size() == keepMax_ ? Move()
                                                                   : Copy();
    if (step == Step::kOutput) return Wait::kOutput;
    if (step == Step::kInput) return Wait::kInput;
  }
  if (!source_) return Wait::kNothing;
  return pending_.empty() ? Wait::kInput : Wait::kOutput;
}

void RelayPump::Finish() {
  for (int i = 0; i < kFinishRuns; ++i)
    if (Run() == Wait::kNothing) return;
  Close();
}

}  // namespace sbx
