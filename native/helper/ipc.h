// The IPC namespace of a slot, for System V objects; POSIX message queues no program can make, its limit for
// them being 0. To make one costs as much as all other namespaces of a sandbox, so it serves one sandbox
// after another for as long as nobody touches it: one in which nothing was ever made is as new. One that was
// touched is not cleaned but left (docs/decisions/0016).
#pragma once

#include "failure.h"

namespace sbx {

class IpcNamespace {
 public:
  // Before a sandbox is made in it: afterwards we are in one in which nobody but us ever made anything.
  Failure BeAsNew();

 private:
  bool IsAsNew();
  Failure Renew();

  static constexpr unsigned kKinds = 3;  // shared memory, semaphores, message queues
  // The number that the kernel gives the next object of a kind, if we made the one before.
  int next_[kKinds];
  bool made_ = false;
};

}  // namespace sbx
