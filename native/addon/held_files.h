// Files that the host holds by descriptor. Numbers as in files.h.
#pragma once

#include <napi.h>

namespace sbx {

// { dir, path, mode, owner, collect }: made or cut, for a program to write to; with `collect` [that, another
// to read from]. EINVAL or EISDIR for what is not a regular file.
Napi::Value OpenOutput(const Napi::CallbackInfo& info);
// (fd, maxBytes): closes it; as ReadOpened.
Napi::Value TakeFile(const Napi::CallbackInfo& info);
// (fd): the user's from now on; we do not close it at the end.
Napi::Value GiveAway(const Napi::CallbackInfo& info);
// (fd): the regular file behind it for a program to read, at its start, that it cannot open for writing. A
// promise when it must be copied and is large.
Napi::Value ReadOnlyFile(const Napi::CallbackInfo& info);

// (from, to): all of the regular file `from`, copied by the kernel; `to` is closed after. Bytes copied; a
// promise for large ones.
Napi::Value CopyFile(const Napi::CallbackInfo& info);
// (from, to, later): as CopyFile, in the place of all that `to` had; holes stay holes. 0.
Napi::Value CopyWithin(const Napi::CallbackInfo& info);

}  // namespace sbx
