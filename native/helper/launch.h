// Starting one program: from a checked Start message to exec.
#pragma once

#include <linux/filter.h>

#include "../common/fd.h"
#include "../common/launch_key.h"
#include "zygote.h"

namespace sbx {

constexpr unsigned kStringsMax = 8192;  // arguments, environment and paths of a plan that fits a message

// A Start message taken apart: pointers into the message, descriptors owned.
struct Launch {
  const StartRecord* record;
  const char* cwd;
  const char** paths;  // each ends with nullptr
  const char** args;
  const char** env;
  Fd fds[kProgramFdsMax];  // by row
  Fd joins[kJoinsMax];
  Counters counters;  // the program's own, if it has any
  Fd terminal;        // master of the new terminal
  // What it may call, in a strict sandbox; of length 0: whatever the sandbox's filter leaves.
  struct sock_fprog calls = {};
  const char* typed;  // into it
};

// Checks the message and fills `launch`. `tables`: room for all string pointers.
struct Received;
Failure ParseStart(const char* message, size_t size, Received& received, unsigned firstFd, int null,
    const char** tables, size_t tableSize, Launch& launch);

// Opens a terminal in the sandbox's /dev/pts: its slave becomes descriptors 0 to 2.
Failure OpenTerminal(Launch& launch);

// What every program of the engine is given.
struct Identity {
  uint32_t uid;  // and gid
  uint32_t umask;
  uint32_t ignoredSignals;  // bit n - 1 is signal n
  int landlock;             // rules of a domain to enter; -1: none
  unsigned landlockAbi;
  struct sock_fprog policy;  // of the caller's, over ours; of length 0: none
  int oomScore;              // oom_score_adj of init
  int nice;
  uint64_t sliceNs;
  LaunchKey launchKey;
};

// From clone to exec, in the new process; return only when they failed. `LeaveSession` can be long before the
// rest.
Failure LeaveSessionInChild();
// Its descriptors are its own by then. `report`: a descriptor to be left open until exec; -1: none.
Failure RunInChild(const Launch& launch, const Identity& identity, int report);

// Waits for the exit of a process that failed to execute.
void ReapFailed(int pid);

// Clones and executes. On success `pid` is the program's main process. With nobody else in the sandbox the
// child borrows our memory and we wait for its exec (vfork). Beside living programs it must not: once it has
// their user id they can stop it, and us with it. Then it is a plain fork, and `report` becomes a pipe that
// gives a Failure, or end of file once exec has happened.
Failure LaunchProgram(Launch& launch, const Identity& identity, bool beside, int& pid, Fd& report);

}  // namespace sbx
