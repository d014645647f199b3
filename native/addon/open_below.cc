#include "open_below.h"

#include <errno.h>

#include <algorithm>

#include "to_buffer.h"

namespace sbx {

int OpenBelow(int dir, const char* path, int flags, mode_t mode, bool follow) {
  struct open_how how = {};
  how.flags = (uint64_t)(flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if ((flags & O_PATH) != 0) how.flags = (uint64_t)(flags | O_CLOEXEC);
  how.mode = (flags & O_CREAT) != 0 ? mode : 0;
  how.resolve =
      RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV | (follow ? 0 : RESOLVE_NO_SYMLINKS);
  int opened = sys::Open2(dir, path, &how);
  // A rename raced with the walk.
  for (int tries = 0; opened == -EAGAIN && tries < 10; ++tries) opened = sys::Open2(dir, path, &how);
  return opened;
}

int OpenKnownBelow(int dir, const char* path, int flags, bool follow) {
  struct open_how how = {};
  how.flags = (uint64_t)(flags | O_CLOEXEC | ((flags & O_PATH) != 0 ? 0 : O_NOCTTY | O_NONBLOCK));
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV | RESOLVE_CACHED |
                (follow ? 0 : RESOLVE_NO_SYMLINKS);
  // EAGAIN is also what a rename on the way comes to, of any file of the machine.
  int opened = -EAGAIN;
  for (int tries = 0; opened == -EAGAIN && tries < 100; ++tries) opened = sys::Open2(dir, path, &how);
  return opened == -EAGAIN ? -ENOENT : opened;
}

int CheckRegular(int fd, struct stat& status) {
  if (const long got = sys::Call(SYS_fstat, fd, &status); got < 0) return (int)got;
  if (S_ISDIR(status.st_mode)) return -EISDIR;
  return S_ISREG(status.st_mode) ? 0 : -EINVAL;
}

Napi::Value ReadOpened(Napi::Env env, int fd, const struct stat& status, double maxBytes) {
  const auto size = (size_t)std::min((double)status.st_size, maxBytes);
  Gathered content;
  char* room = content.Room(size);
  if (room == nullptr) return Napi::Number::New(env, -ENOMEM);
  while (content.size() < size) {
    const long got = sys::Read(fd, room + content.size(), size - content.size());
    if (got < 0) return Napi::Number::New(env, (double)got);
    if (got == 0) break;  // it shrank meanwhile
    content.Add((size_t)got);
  }
  const Napi::Array result = Napi::Array::New(env, 3);
  result.Set(0u, ToBuffer(env, content));
  result.Set(1u, Napi::Number::New(env, status.st_mode & 07777));
  result.Set(2u, Napi::Number::New(env, (double)status.st_size));
  return result;
}

}  // namespace sbx
