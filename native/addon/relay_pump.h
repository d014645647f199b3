// A pipe between two programs that passes through the host: what comes out of one pipe goes into another, and
// the first bytes are kept. Small messages are read and written: a pipe keeps the page of a short message and
// uses it again, while one that is moved on must be allocated and charged anew, which costs twice as much.
// When whole pipes full come, their pages are moved by the kernel, unread. Nothing here blocks or knows Node;
// whoever owns it says when there is something to do.
#pragma once

#include <string>

#include "../common/fd.h"
#include "gathered.h"

namespace sbx {

class RelayPump {
 public:
  // What it needs next: bytes in its source, room in its sink, or nothing ever again. Then both pipes are
  // closed.
  enum class Wait { kInput, kOutput, kNothing };

  // `keepMax`: bytes kept. `drain`: when nobody reads any more go on taking what is written, and drop it.
  RelayPump(Fd source, Fd sink, size_t keepMax, bool drain);

  // Moves what can be moved now, a bounded amount.
  Wait Run();
  // Every writer is dead: takes what is left, and closes.
  void Finish();
  // The sink's reader is gone. Without `drain` this is the end, and the writer gets EPIPE as from a plain
  // pipe.
  void OnSinkGone();
  void Close();

  int source() const { return source_.get(); }
  int sink() const { return sink_.get(); }  // negative once its reader is gone
  Gathered& kept() { return kept_; }
  uint64_t total() const { return total_; }  // bytes taken from the source

 private:
  enum class Step { kAgain, kInput, kOutput };
  Step Copy();
  Step Flush();
  Step Move();
  Step Took(long size);

  Fd source_, sink_;
  size_t keepMax_;
  bool drain_;
  bool bulk_ = false;  // whole chunks come
  Gathered kept_;
  std::string pending_;  // read, and not yet written
  size_t at_ = 0;
  uint64_t total_ = 0;
};

}  // namespace sbx
