// What the parts of the made-up kernel share: the state of one input, and the calls that each part answers.
//   messages.cc   what happens next, and what is said on sockets
//   processes.cc  clones, ends, signals, waiting
//   kernel.cc     descriptors, files, memory, and which call is whose
#pragma once

#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/socket.h>

#include <deque>
#include <map>
#include <string>

#include "events.h"

namespace sbx::fuzz {

constexpr int kDescriptors = 1024;
constexpr int kFirstPid = 2;
constexpr int kBySignal = 128;  // statuses from here on: the number of a signal

enum Open : uint8_t { kClosed, kPlain, kSignals, kPipeEnd, kTimer, kOwnPair };  // the last: init's, to itself
enum class Role { kZygote, kKeeper, kInit };

// A child that shares memory and descriptors: it runs when its parent waits, until it executes or exits.
struct Sharing {
  int pid = 0;  // 0: none that has still to run
  int* running = nullptr;
  void (*run)(void*) = nullptr;
  void* argument = nullptr;
  bool executed = false;
  bool isApart = false;        // it has taken descriptors of its own
  Open parents[kDescriptors];  // then these are its parent's
};

struct World {
  Events timeline;
  size_t at = 0;
  std::map<unsigned, int> faults;
  std::deque<bool> forks;
  unsigned calls = 0;
  Open open[kDescriptors] = {};
  int atRest[3] = {-1, -1, -1};  // descriptors of each role when it first waited with nothing to look after
  Role role = Role::kZygote;
  int nextPid = kFirstPid;
  std::map<int, int> alive, dead;  // pid → status, for those who have ended
  std::string text = "0\n", report, plan;
  bool signalled = false, reported = false, noticed = false;
  unsigned listed[kDescriptors] = {};  // of a folder: how many of its names have been told
  int64_t now = 1'000'000'000;
  std::map<long, size_t> mapped;
  Sharing sharing;
};
extern World* gWorld;

// ---- kernel.cc ----

// Aborts when the process under test may not read this.
void Readable(const void* data, size_t size);
// The lowest free number, or a negative error number.
int OpenOne(Open kind, int from = 0);
bool IsOpen(long fd);
// With nobody to look after, a role holds what it held when it began to wait.
void CheckLeaks(int slack);

// ---- messages.cc ----

// Makes the next event happen. False when there is none left, or it is a message: the caller's to receive.
bool Advance();
long ReceiveMessage(struct msghdr* message);
// A byte and a descriptor.
long ReceiveOne(struct msghdr* message);
// Only whole records of their kind go up, beside descriptors that are open.
long SendMessage(const struct msghdr* message);

// ---- processes.cc ----

long Poll(struct pollfd* fds, long count, bool forever);
long Clone(uint64_t flags, bool isHelper);
long CloneSharing(int* running, void (*run)(void*), void* argument);
void TakeDescriptorsApart();
long WaitFor(long type, long id, siginfo_t* info, long options);
long Signal(long pid, long signal);

// ---- places.cc ----

long WhereWeAre(char* path, size_t size);
long LookAtPlace(unsigned mask, struct statx* status);

}  // namespace sbx::fuzz
