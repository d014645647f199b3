// The only process that the host ever starts: the zygote.
#pragma once

#include "../common/fd.h"

namespace sbx {

struct Spawned {
  int error = 0;  // negative error number
  int pid = 0;
  Fd pidfd, channel;
};

Spawned SpawnHelper(const char* path, bool rootless);

}  // namespace sbx
