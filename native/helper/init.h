// What the parts of init share: the sandbox it is pid 1 of, and the few calls that cross from one part to
// another.
//   init.cc        the loop
//   pre_forked_child.cc  the process of the first program, made before its start
//   starting.cc    starts
//   requests.cc    what else the host asks for
//   enforce.cc     limits
//   watch_memory.cc  memory where no cgroup bounds it
//   held_memory.cc  what processes hold of it
//   turns.cc       programs that wait for each other in turn
//   ending.cc      the end of programs: killed, reaped, reported
//   made_files.cc  files that it makes for a program, and the report that brings what they hold
#pragma once

#include "made_files.h"
#include "programs.h"
#include "setup.h"
#include "starting.h"
#include "watch_memory.h"

namespace sbx {

constexpr int64_t kForeverNs = INT64_MAX;

// So long after `now`; for ever when that is beyond all time.
constexpr int64_t After(int64_t now, uint64_t ns) {
  return ns < (uint64_t)(kForeverNs - now) ? now + (int64_t)ns : kForeverNs;
}

// Of a program that waits for others in turn, and they for it. See turns.cc.
struct Turns {
  uint32_t number = 0;    // of the group; 0: none
  bool together = false;  // it is held on one CPU
  int64_t nextNs = 0;     // when to look again
  int64_t lookedNs = 0;   // when the last look was
  int64_t usedNs = 0;     // CPU time until then
  uint64_t sleeps = 0;    // how often it had gone to sleep by then
  int64_t apartCpu = 0;   // part of a CPU that it used in the last stretch in which it was free, in thousands
  CpuMask cpus;           // that it may use when it is not held
};

struct Init {
  Helper& helper;
  const Counters& counters;  // the sandbox's
  SandboxSetup setup;
  Fd channel;
  Programs programs;
  bool oneShot = false;  // the sandbox ends with its program
  Turns turns = {};      // its program's
  Outputs outputs = {};  // its program's
  MemoryWatch watch = {};
  Input spareInput = {};  // made ahead of the start, when that is likely to bring an input
};

// ---- ending.cc ----

// The first cause stays.
void Note(Program& program, Cause cause);

// Sends `signal` to every process of the program. Alone in the sandbox it is all but us, in one atomic sweep;
// else the processes of its group. Without groups it is those of its session, one by one.
void SignalEverything(Init& init, const Program& program, int signal);

void KillFor(Init& init, Program& program, Cause cause);

// Reaps what has ended and reports programs whose main process is among it.
// True when there may be more to reap.
bool ReapAndFinish(Init& init);

// Goes on with programs that have ended and whose processes were not all dead; returns when to look again,
// kForeverNs for never.
int64_t SweepAgain(Init& init);

// ---- enforce.cc ----

// Its time counts from `now`.
void StartClocks(Program& program, int64_t now);

// Kills programs that have passed a time limit; returns when to look again, kForeverNs for never.
int64_t EnforceAll(Init& init);

// Kills programs whose memory has run out.
void CheckMemory(Init& init);

// Takes a notice about memory; false when there is none. A file does not tell.
bool DrainOomNotice(const Counters& counters);

// ---- watch_memory.cc ----

// The sandbox's /proc, for one look.
Fd OpenProc(const Init& init);

// ---- turns.cc ----

// Brings a program that takes turns to where the others are; returns when to look again, kForeverNs for
// never.
int64_t MeetOthers(Init& init);

// ---- requests.cc ----

// Looks how launches beside others went, and tells the host.
void SettleLaunch(Init& init, Program& program);
void SettleLaunches(Init& init);

enum class Heard { kEnd, kHandled, kStart };

// Takes one message. `kStart`: the program in `starting` is to be executed. `kEnd`: the host is gone, or
// wants the end. `flags`: MSG_DONTWAIT, or it waits.
Heard Hear(Init& init, int flags, Starting& starting);

// False when the host is gone or wants the end.
bool HandleMessage(Init& init);

}  // namespace sbx
