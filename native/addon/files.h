// File work below a sandbox's work folder, by descriptor. No name of the host is ever looked up, no link
// leads out.
#pragma once

#include <napi.h>

namespace sbx {

// Every function takes one object and returns a number (a descriptor, a count or 0) or a negative error
// number.
Napi::Value OpenBeneath(const Napi::CallbackInfo& info);  // { dir, path, flags, mode, owner, follow }
Napi::Value MakeFolder(const Napi::CallbackInfo& info);   // { dir, name, mode, owner }: one component
Napi::Value MakeSymlink(const Napi::CallbackInfo& info);  // { dir, name, to, owner }
// { fromDir, from, toDir, to, owner }: one component each.
Napi::Value RenameIn(const Napi::CallbackInfo& info);
// As RenameIn; a second name, of a link itself, too.
Napi::Value LinkIn(const Napi::CallbackInfo& info);
// Of what is open, or of a name in it, a link itself too. Node's own calls take doubles, which are off by up
// to 240 ns.
Napi::Value SetTimes(const Napi::CallbackInfo& info);
// { dir, path, mode, owner, follow, flags }: made, with its parents, or cut; with `flags`, which say how it
// is opened, what is there keeps its content and mode.
Napi::Value CreateFile(const Napi::CallbackInfo& info);
Napi::Value FillFile(const Napi::CallbackInfo& info);  // (fd, bytes): written and closed
// { dir, path, maxBytes, truncate, follow }: as ReadOpened; nothing of one too large.
Napi::Value ReadFileBeneath(const Napi::CallbackInfo& info);
// { dir, path }: what a link says; 0 for what is none.
Napi::Value ReadLinkBeneath(const Napi::CallbackInfo& info);
// { dir, name, owner }: promise of 0 or a negative number.
Napi::Value RemoveTree(const Napi::CallbackInfo& info);

Napi::Value MakePipe(const Napi::CallbackInfo& info);        // (mode) -> [read, write] or a negative number
Napi::Value MakeMemoryFile(const Napi::CallbackInfo& info);  // (bytes) -> sealed, read-only, at its start
Napi::Value MakeEventFd(const Napi::CallbackInfo& info);
// (name): a socket that has it among the names without a file, which one at a time may have.
Napi::Value ClaimName(const Napi::CallbackInfo& info);
Napi::Value CloseFds(const Napi::CallbackInfo& info);         // ([fd, …])
Napi::Value DuplicateFd(const Napi::CallbackInfo& info);      // (fd)
Napi::Value ResizeTerminal(const Napi::CallbackInfo& info);   // { fd, cols, rows }
Napi::Value ReadCounterFile(const Napi::CallbackInfo& info);  // (fd) -> text, or a negative number

}  // namespace sbx
