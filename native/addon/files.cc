#include "files.h"

#include <errno.h>
#include <linux/memfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <string>

#include "../common/fd.h"
#include "decode.h"
#include "file_identity.h"
#include "memory_file.h"
#include "reactor.h"
#include "remove_tree.h"

namespace sbx {
namespace {

int OpenIn(int dir, const char* path, int flags, mode_t mode, bool follow) {
  struct open_how how = {};
  how.flags = (uint64_t)(flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if ((flags & O_PATH) != 0) how.flags = (uint64_t)(flags | O_CLOEXEC);
  how.mode = (flags & O_CREAT) != 0 ? mode : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV | (follow ? 0 : RESOLVE_NO_SYMLINKS);
  int opened = sys::Open2(dir, path, &how);
  for (int tries = 0; opened == -EAGAIN && tries < 10; ++tries) opened = sys::Open2(dir, path, &how);  // a rename raced with the walk
  return opened;
}

// Makes the folders that lead to the last component of `path`.
int MakeParents(int dir, const std::string& path, bool follow) {
  for (size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
    const std::string parent = path.substr(0, at);
    const size_t slash = parent.rfind('/');
    const std::string name = slash == std::string::npos ? parent : parent.substr(slash + 1);
    Fd holder(slash == std::string::npos ? sys::Fcntl(dir, F_DUPFD_CLOEXEC, 0) : OpenIn(dir, parent.substr(0, slash).c_str(), O_PATH | O_DIRECTORY, 0, follow));
    if (holder.get() < 0) return holder.release();
    const int made = sys::MkdirAt(holder.get(), name.c_str(), 0755);
    if (made < 0 && made != -EEXIST) return made;
  }
  return 0;
}

struct Bytes {
  const char* data;
  size_t size;
};
Bytes View(Napi::Value value) {
  if (!value.IsTypedArray()) return {"", 0};
  const auto array = value.As<Napi::Uint8Array>();
  return {reinterpret_cast<const char*>(array.Data()), array.ByteLength()};
}

Napi::Value Number(Napi::Env env, long value) { return Napi::Number::New(env, (double)value); }

// A descriptor that JavaScript gives back to closeFds, a Reader, a Writer or a Channel.
Napi::Value Lent(Napi::Env env, long fd) { return Number(env, Reactor::Of(env)->Lend((int)fd)); }

}  // namespace

Napi::Value OpenBeneath(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const int dir = args.Int("dir"), flags = args.Int("flags");
  const std::string path = args.Text("path");
  const FileIdentity identity((flags & O_CREAT) != 0 ? (int64_t)args.Number("owner") : -1);
  if (args.failed()) return {};
  return Lent(info.Env(), OpenIn(dir, path.c_str(), flags, args.Uint("mode", 0644), args.Flag("follow")));
}

Napi::Value MakeFolder(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const int dir = args.Int("dir");
  const std::string name = args.Text("name");
  const FileIdentity identity((int64_t)args.Number("owner"));
  return Number(info.Env(), sys::MkdirAt(dir, name.c_str(), args.Uint("mode", 0755)));
}

Napi::Value MakeSymlink(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const int dir = args.Int("dir");
  const std::string name = args.Text("name"), to = args.Text("to");
  const FileIdentity identity((int64_t)args.Number("owner"));
  return Number(info.Env(), sys::SymlinkAt(to.c_str(), dir, name.c_str()));
}

Napi::Value RenameIn(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const std::string from = args.Text("from"), to = args.Text("to");
  const FileIdentity identity((int64_t)args.Number("owner"));
  if (args.failed()) return {};
  return Number(info.Env(), sys::Call(SYS_renameat2, args.Int("fromDir"), from.c_str(), args.Int("toDir"), to.c_str(), 0));
}

Napi::Value WriteFileBeneath(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const int dir = args.Int("dir");
  const std::string path = args.Text("path");
  const Bytes bytes = View(args.Get("bytes"));
  const mode_t mode = args.Uint("mode", 0644);
  const FileIdentity identity((int64_t)args.Number("owner"));
  if (args.failed()) return {};
  if (args.Flag("parents"))
    if (const int made = MakeParents(dir, path, args.Flag("follow")); made < 0) return Number(info.Env(), made);
  Fd file(OpenIn(dir, path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, mode, args.Flag("follow")));
  if (file.get() < 0) return Number(info.Env(), file.release());
  if (const int written = WriteAll(file.get(), bytes.data, bytes.size); written < 0) return Number(info.Env(), written);
  // The process's umask has had its say; the mode is the caller's. Not ours to change where the program made the file.
  (void)!RawSyscall(SYS_fchmod, file.get(), mode);
  return Number(info.Env(), 0);
}

Napi::Value ReadFileBeneath(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const int dir = args.Int("dir");
  const std::string path = args.Text("path");
  const double maxBytes = args.Number("maxBytes");
  if (args.failed()) return {};
  Fd file(OpenIn(dir, path.c_str(), O_RDONLY, 0, args.Flag("follow")));
  if (file.get() < 0) return Number(info.Env(), file.release());
  struct stat status = {};
  if (const long got = sys::Call(SYS_fstat, file.get(), &status); got < 0) return Number(info.Env(), got);
  if (S_ISDIR(status.st_mode)) return Number(info.Env(), -EISDIR);
  if (!S_ISREG(status.st_mode)) return Number(info.Env(), -EINVAL);
  if ((double)status.st_size > maxBytes) return Number(info.Env(), -EFBIG);
  const auto size = (size_t)status.st_size;
  Napi::Buffer<char> buffer = Napi::Buffer<char>::New(info.Env(), size);
  size_t at = 0;
  while (at < size) {
    const long got = sys::Read(file.get(), buffer.Data() + at, size - at);
    if (got < 0) return Number(info.Env(), got);
    if (got == 0) break;
    at += (size_t)got;
  }
  for (size_t i = at; i < size; ++i) buffer.Data()[i] = 0;  // it shrank meanwhile: never show memory of ours
  const Napi::Array result = Napi::Array::New(info.Env(), 3);
  result.Set(0u, buffer);
  result.Set(1u, Napi::Number::New(info.Env(), status.st_mode & 07777));
  result.Set(2u, Napi::Number::New(info.Env(), (double)at));
  return result;
}

Napi::Value RemoveTree(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const int dir = args.Int("dir");
  const std::string name = args.Text("name");
  if (args.failed()) return {};
  return QueueRemoveTree(info.Env(), sys::Fcntl(dir, F_DUPFD_CLOEXEC, 0), name, (int64_t)args.Number("owner"));
}

Napi::Value MakePipe(const Napi::CallbackInfo& info) {
  int pair[2];
  const long made = sys::Call(SYS_pipe2, pair, O_CLOEXEC);
  if (made < 0) return Number(info.Env(), made);
  const Napi::Array result = Napi::Array::New(info.Env(), 2);
  for (uint32_t i = 0; i < 2; ++i) result.Set(i, Napi::Number::New(info.Env(), Reactor::Of(info.Env())->Lend(pair[i])));
  return result;
}

// Read-only for whoever gets it, also when it is opened again through /proc/self/fd: mode 0444, sealed, and the
// descriptor itself is a read-only one of its own.
Napi::Value MakeMemoryFile(const Napi::CallbackInfo& info) {
  const Bytes bytes = View(info[0]);
  Fd file((int)sys::Call(SYS_memfd_create, "sbx-input", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.get() < 0) return Number(info.Env(), -ENOMEM);
  if (const int written = WriteAll(file.get(), bytes.data, bytes.size); written < 0) return Number(info.Env(), written);
  if (const long set = RawSyscall(SYS_fchmod, file.get(), 0444); set < 0) return Number(info.Env(), set);
  if (const int sealed = Seal(file.get()); sealed < 0) return Number(info.Env(), sealed);
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  return Lent(info.Env(), sys::Open(AT_FDCWD, path.c_str(), O_RDONLY));
}

Napi::Value MakeEventFd(const Napi::CallbackInfo& info) { return Lent(info.Env(), sys::Call(SYS_eventfd2, 0, O_CLOEXEC | O_NONBLOCK)); }

Napi::Value CloseFds(const Napi::CallbackInfo& info) {
  const Napi::Array fds = info[0].As<Napi::Array>();
  for (uint32_t i = 0; i < fds.Length(); ++i) sys::Close(Reactor::Of(info.Env())->TakeBack(fds.Get(i).As<Napi::Number>().Int32Value()));
  return info.Env().Undefined();
}

Napi::Value DuplicateFd(const Napi::CallbackInfo& info) { return Lent(info.Env(), sys::Fcntl(info[0].As<Napi::Number>().Int32Value(), F_DUPFD_CLOEXEC, 3)); }

Napi::Value ResizeTerminal(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  struct winsize size = {};
  size.ws_col = (unsigned short)args.Uint("cols");
  size.ws_row = (unsigned short)args.Uint("rows");
  return Number(info.Env(), sys::Ioctl(args.Int("fd"), TIOCSWINSZ, (long)&size));
}

Napi::Value ReadCounterFile(const Napi::CallbackInfo& info) {
  char text[8192];
  const long size = sys::PreadAll(info[0].As<Napi::Number>().Int32Value(), text, sizeof(text));
  if (size < 0) return Number(info.Env(), size);
  return Napi::String::New(info.Env(), text, (size_t)size);
}

}  // namespace sbx
