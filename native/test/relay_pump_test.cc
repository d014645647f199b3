#include "../addon/relay_pump.h"

#include <errno.h>
#include <signal.h>

#include "test.h"

namespace sbx::test {
namespace {

using Wait = RelayPump::Wait;

// What programs hold: the writing end of the source, the reading end of the sink.
struct Ends {
  Fd write, read;
};

RelayPump Make(Ends& ends, size_t keepMax, bool drain) {
  signal(SIGPIPE, SIG_IGN);  // as Node does
  int source[2], sink[2];
  (void)!pipe2(source, O_CLOEXEC | O_NONBLOCK);
  (void)!pipe2(sink, O_CLOEXEC | O_NONBLOCK);
  ends.write.reset(source[1]);
  ends.read.reset(sink[0]);
  return RelayPump(Fd(source[0]), Fd(sink[1]), keepMax, drain);
}

void Put(const Ends& ends, const std::string& bytes) {
  EXPECT_EQ(sys::Write(ends.write.get(), bytes.data(), bytes.size()), (long)bytes.size());
}

std::string Get(const Ends& ends) {
  std::string all;
  char chunk[4096];
  for (long size; (size = sys::Read(ends.read.get(), chunk, sizeof(chunk))) > 0;)
    all.append(chunk, (size_t)size);
  return all;
}

bool AtEnd(const Ends& ends) {
  char byte;
  return sys::Read(ends.read.get(), &byte, 1) == 0;
}

TEST("a relay passes lines on as they come, and keeps the first bytes") {
  Ends ends;
  RelayPump pump = Make(ends, 6, false);
  EXPECT(pump.Run() == Wait::kInput);
  for (const char* line : {"one\n", "two\n", "three\n"}) {
    Put(ends, line);
    EXPECT(pump.Run() == Wait::kInput);
    EXPECT_EQ(Get(ends), std::string(line));
  }
  EXPECT_EQ(std::string(pump.kept().bytes()), std::string("one\ntw"));
  EXPECT_EQ(pump.total(), 14u);
}

TEST("a relay delivers what is left when its writer is gone, then closes") {
  Ends ends;
  RelayPump pump = Make(ends, 100, false);
  Put(ends, "last");
  ends.write.reset();
  while (pump.Run() != Wait::kNothing) continue;
  EXPECT_EQ(Get(ends), std::string("last"));
  EXPECT(AtEnd(ends));
  EXPECT_EQ(pump.source(), -1);
}

// Both while it copies for the recording and when it moves whole pipes full.
TEST("a relay waits for a reader that does not read, and loses nothing") {
  for (const size_t keepMax : {(size_t)0, (size_t)1'000, (size_t)10'000'000}) {
    Ends ends;
    RelayPump pump = Make(ends, keepMax, false);
    std::string sent, got;
    for (int i = 0; i < 40; ++i) {
      const std::string block(60'000, (char)('a' + i % 26));
      const long size = sys::Write(ends.write.get(), block.data(), block.size());
      if (size > 0) sent.append(block, 0, (size_t)size);
      const Wait wait = pump.Run();
      if (size == -EAGAIN) EXPECT(wait == Wait::kOutput);
      if (i % 3 == 2) got += Get(ends);
    }
    ends.write.reset();
    for (Wait wait = Wait::kInput; wait != Wait::kNothing;) {
      wait = pump.Run();
      got += Get(ends);
    }
    EXPECT(got == sent);
    EXPECT_EQ(pump.total(), sent.size());
    EXPECT(pump.kept().bytes() == sent.substr(0, keepMax));
  }
}

TEST("without its reader a relay is closed, and the writer gets EPIPE") {
  for (const bool told : {false, true}) {
    Ends ends;
    RelayPump pump = Make(ends, 100, false);
    ends.read.reset();
    if (told) pump.OnSinkGone();
    else {
      Put(ends, "x");
      EXPECT(pump.Run() == Wait::kNothing);
    }
    EXPECT_EQ(sys::Write(ends.write.get(), "x", 1), -EPIPE);
  }
}

TEST("a draining relay goes on without its reader: recorded, counted, dropped") {
  for (const size_t keepMax : {(size_t)0, (size_t)10}) {
    Ends ends;
    RelayPump pump = Make(ends, keepMax, true);
    Put(ends, "read");
    (void)pump.Run();
    EXPECT_EQ(Get(ends), std::string("read"));
    ends.read.reset();
    for (int i = 0; i < 100; ++i) {
      Put(ends, std::string(50'000, 'x'));
      EXPECT(pump.Run() == Wait::kInput);
    }
    EXPECT_EQ(pump.total(), 5'000'004u);
    EXPECT(pump.kept().bytes() == std::string("readxxxxxx").substr(0, keepMax));
    ends.write.reset();
    EXPECT(pump.Run() == Wait::kNothing);
  }
}

TEST("a relay's turn is bounded") {
  constexpr int kBytes = 1 << 20;  // as large as anybody may make a pipe
  Ends ends;
  RelayPump pump = Make(ends, 0, true);
  ends.read.reset();
  pump.OnSinkGone();
  REQUIRE(fcntl(ends.write.get(), F_SETPIPE_SZ, kBytes) == kBytes);
  Put(ends, std::string(kBytes, 'x'));
  EXPECT(pump.Run() == Wait::kInput);
  EXPECT(pump.total() < (uint64_t)kBytes);
  pump.Finish();
  EXPECT_EQ(pump.total(), (uint64_t)kBytes);
}

TEST("finishing takes what is left, and closes even while a writer lives") {
  Ends ends;
  RelayPump pump = Make(ends, 100, true);
  Put(ends, "left");
  ends.read.reset();
  pump.Finish();
  EXPECT_EQ(std::string(pump.kept().bytes()), std::string("left"));
  EXPECT_EQ(sys::Write(ends.write.get(), "x", 1), -EPIPE);
}

}  // namespace
}  // namespace sbx::test
