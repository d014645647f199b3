// A start on its way: taken from its message and made ready, then executed (launch.h, pre_forked_child.h),
// then settled.
#pragma once

#include "launch.h"
#include "programs.h"

namespace sbx {

struct Init;
struct Received;

// A mapping that goes with its owner.
class Mapping {
 public:
  Mapping() = default;
  Mapping(const Mapping&) = delete;
  ~Mapping();

  // Of a file's first bytes, or of empty memory with -1. Null when there is no room.
  char* Map(size_t size, int file);

 private:
  char* at_ = nullptr;
  size_t size_ = 0;
};

struct Starting {
  Program* program = nullptr;  // its place, when there is one
  uint32_t id = 0;
  bool oneShot = false;
  bool byPreForkedChild = false;  // who takes it becomes the program
  Failure failure;
  Launch launch = {};
  Mapping plan, tables;  // of a plan too large for a message
};

// Everything up to the clone. `failure` says how that went.
void TakeStart(Init& init, Received& received, Starting& starting);

Identity IdentityOf(const Init& init);

// It has executed, or failed to: looks after the program from now on, or tells the host. Does not return when
// that was all that the sandbox was for.
void FinishStart(Init& init, Starting& starting);

// Tells the host that a program runs, if it wants to know.
void Announce(Init& init, Program& program);

}  // namespace sbx
