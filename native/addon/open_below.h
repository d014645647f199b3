// Opening and reading below a folder, whatever lies there.
#pragma once

#include <napi.h>
#include <sys/stat.h>

#include "../common/sys.h"

namespace sbx {

// Never leaves `dir` nor its file system, never waits. Links are followed only with `follow`, and only
// inside.
int OpenBelow(int dir, const char* path, int flags, mode_t mode, bool follow);

// As `OpenBelow` of what exists, but by names that the kernel has at hand, which are all that a file system
// in memory has: waits for no lock that a program holds. ENOENT when a name is not found.
int OpenKnownBelow(int dir, const char* path, int flags, bool follow);

// 0 for a regular file, else why not. Fills `status`.
int CheckRegular(int fd, struct stat& status);

// [first bytes, mode, size] of an open regular file, or a negative error number. Never more than `maxBytes`.
Napi::Value ReadOpened(Napi::Env env, int fd, const struct stat& status, double maxBytes);

}  // namespace sbx
