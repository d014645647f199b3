#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <memory>
#include <string>

#include "../common/fd.h"
#include "../common/memory_file.h"
#include "create_below.h"
#include "decode.h"
#include "file_call.h"
#include "file_identity.h"
#include "open_below.h"
#include "reactor.h"
#include "remove_tree.h"

namespace sbx {
namespace {

Napi::Value Number(Napi::Env env, long value) { return Napi::Number::New(env, (double)value); }

// A descriptor that JavaScript gives back to closeFds, a Reader, a Writer or a Channel.
Napi::Value Lent(Napi::Env env, long fd) { return Number(env, Reactor::Of(env)->Lend((int)fd)); }

// The target of an opened link, which is closed; 0 for what is none.
Napi::Value SaidByLink(Napi::Env env, long opened) {
  const Fd link((int)opened);
  if (!link) return Number(env, opened);
  struct stat status = {};
  if (const long got = sys::Call(SYS_fstat, link.get(), &status); got < 0) return Number(env, got);
  if (!S_ISLNK(status.st_mode)) return Number(env, 0);
  char text[4096];
  const long size = sys::Call(SYS_readlinkat, link.get(), "", text, sizeof(text));
  return size < 0 ? Number(env, size) : Napi::String::New(env, text, (size_t)size);
}

}  // namespace

Napi::Value OpenBeneath(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const int dir = args.Int("dir"), flags = args.Int("flags");
  const std::string path = args.Text("path");
  const int64_t owner = (flags & O_CREAT) != 0 ? (int64_t)args.Number("owner") : -1;
  const mode_t mode = args.Uint("mode", 0644);
  const bool follow = args.Flag("follow"), later = args.Flag("later");
  if (args.failed()) return {};
  if (args.Flag("known")) return Lent(info.Env(), OpenKnownBelow(dir, path.c_str(), flags, follow));
  const auto open = [=](int below) {
    return AsOwner(owner, [&] { return OpenBelow(below, path.c_str(), flags, mode, follow); });
  };
  return MakeFileCall(info.Env(), {dir, later}, open, Lent);
}

Napi::Value MakeFolder(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const int dir = args.Int("dir");
  const std::string name = args.Text("name");
  const mode_t mode = args.Uint("mode", 0755);
  const auto owner = (int64_t)args.Number("owner");
  const auto make = [=](int in) {
    return AsOwner(owner, [&] { return sys::MkdirAt(in, name.c_str(), mode); });
  };
  return MakeFileCall(info.Env(), {dir, args.Flag("later")}, make, Number);
}

Napi::Value MakeSymlink(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const int dir = args.Int("dir");
  const std::string name = args.Text("name"), to = args.Text("to");
  const auto owner = (int64_t)args.Number("owner");
  const auto make = [=](int in) {
    return AsOwner(owner, [&] { return sys::SymlinkAt(to.c_str(), in, name.c_str()); });
  };
  return MakeFileCall(info.Env(), {dir, args.Flag("later")}, make, Number);
}

// A call on a name in one folder and a name in another.
static Napi::Value TwoNames(
    const Napi::CallbackInfo& info, long (*call)(int, const char*, int, const char*)) {
  Args args(info.Env(), info[0]);
  const std::string from = args.Text("from"), to = args.Text("to");
  const int fromDir = args.Int("fromDir"), toDir = args.Int("toDir");
  const auto owner = (int64_t)args.Number("owner");
  const bool later = args.Flag("later");
  if (args.failed()) return {};
  // On another thread it is the call's own, as the first folder is.
  const auto second = later ? std::make_shared<Fd>(sys::Fcntl(toDir, F_DUPFD_CLOEXEC, 0)) : nullptr;
  if (second && !*second) return Number(info.Env(), second->release());
  const auto act = [=](int first) {
    const int last = second ? second->get() : toDir;
    return AsOwner(owner, [&] { return call(first, from.c_str(), last, to.c_str()); });
  };
  return MakeFileCall(info.Env(), {fromDir, later}, act, Number);
}

Napi::Value RenameIn(const Napi::CallbackInfo& info) {
  return TwoNames(info, [](int fromDir, const char* from, int toDir, const char* to) {
    return sys::Call(SYS_renameat2, fromDir, from, toDir, to, 0);
  });
}

Napi::Value LinkIn(const Napi::CallbackInfo& info) {
  return TwoNames(info, [](int fromDir, const char* from, int toDir, const char* to) {
    return sys::Call(SYS_linkat, fromDir, from, toDir, to, 0);
  });
}

Napi::Value SetTimes(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const int fd = args.Int("fd");
  const std::string name = args.Text("name");
  const auto seconds = (time_t)args.Number("seconds");
  const auto nanoseconds = (long)args.Number("nanoseconds");
  if (args.failed()) return {};
  const timespec times[2] = {{seconds, nanoseconds}, {seconds, nanoseconds}};
  const char* at = name.empty() ? nullptr : name.c_str();
  return Number(info.Env(), sys::Call(SYS_utimensat, fd, at, times, at == nullptr ? 0 : AT_SYMLINK_NOFOLLOW));
}

Napi::Value CreateFile(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const int dir = args.Int("dir");
  const std::string path = args.Text("path");
  const mode_t mode = args.Uint("mode", 0644);
  const mode_t folderMode = args.Uint("folderMode", 0755);
  const bool follow = args.Flag("follow"), later = args.Flag("later");
  const auto owner = (int64_t)args.Number("owner");
  const auto flags = (int)args.Uint("flags", O_TRUNC);
  if (args.failed()) return {};
  const Creation creation = {path, mode, folderMode, follow, flags};
  const auto create = [=](int below) { return AsOwner(owner, [&] { return CreateBelow(below, creation); }); };
  return MakeFileCall(info.Env(), {dir, later}, create, Lent);
}

// Closes it.
Napi::Value FillFile(const Napi::CallbackInfo& info) {
  Fd file(Reactor::Of(info.Env())->TakeBack(info[0].As<Napi::Number>().Int32Value()));
  const std::string_view bytes = BytesOf(info[1]);
  return Number(info.Env(), WriteAll(file.get(), bytes.data(), bytes.size()));
}

Napi::Value ReadFileBeneath(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const int dir = args.Int("dir");
  const std::string path = args.Text("path");
  const double maxBytes = args.Number("maxBytes");
  if (args.failed()) return {};
  const bool follow = args.Flag("follow");
  Fd file(args.Flag("known") ? OpenKnownBelow(dir, path.c_str(), O_RDONLY, follow)
                             : OpenBelow(dir, path.c_str(), O_RDONLY, 0, follow));
  if (file.get() < 0) return Number(info.Env(), file.release());
  struct stat status = {};
  if (const int error = CheckRegular(file.get(), status); error < 0) return Number(info.Env(), error);
  const bool tooLarge = (double)status.st_size > maxBytes && !args.Flag("truncate");
  return ReadOpened(info.Env(), file.get(), status, tooLarge ? 0 : maxBytes);
}

Napi::Value ReadLinkBeneath(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const int dir = args.Int("dir");
  const std::string path = args.Text("path");
  if (args.failed()) return {};
  constexpr int kFlags = O_PATH | O_NOFOLLOW;
  if (args.Flag("known")) return SaidByLink(info.Env(), OpenKnownBelow(dir, path.c_str(), kFlags, true));
  const auto open = [=](int below) { return OpenBelow(below, path.c_str(), kFlags, 0, true); };
  return MakeFileCall(info.Env(), {dir, args.Flag("later")}, open, SaidByLink);
}

Napi::Value RemoveTree(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const int dir = args.Int("dir");
  const std::string name = args.Text("name");
  if (args.failed()) return {};
  return QueueRemoveTree(
      info.Env(), sys::Fcntl(dir, F_DUPFD_CLOEXEC, 0), name, (int64_t)args.Number("owner"));
}

// Programs open their ends once more, by /dev/stdin and its like, and are another user than we: the mode says
// for what. Nobody gets at a pipe in that way who has no end of it.
Napi::Value MakePipe(const Napi::CallbackInfo& info) {
  int pair[2];
  long made = sys::Call(SYS_pipe2, pair, O_CLOEXEC);
  if (made < 0) return Number(info.Env(), made);
  made = sys::Call(SYS_fchmod, pair[0], info[0].IsNumber() ? info[0].As<Napi::Number>().Uint32Value() : 0666);
  if (made < 0) {
    sys::Close(pair[0]);
    sys::Close(pair[1]);
    return Number(info.Env(), made);
  }
  const Napi::Array result = Napi::Array::New(info.Env(), 2);
  for (uint32_t i = 0; i < 2; ++i)
    result.Set(i, Napi::Number::New(info.Env(), Reactor::Of(info.Env())->Lend(pair[i])));
  return result;
}

Napi::Value MakeMemoryFile(const Napi::CallbackInfo& info) {
  const std::string_view bytes = BytesOf(info[0]);
  Fd file(NewMemoryFile(kInputName));
  if (file.get() < 0) return Number(info.Env(), -ENOMEM);
  if (const int written = WriteAll(file.get(), bytes.data(), bytes.size()); written < 0)
    return Number(info.Env(), written);
  return Lent(info.Env(), SealedView(file.get()));
}

Napi::Value MakeEventFd(const Napi::CallbackInfo& info) {
  return Lent(info.Env(), sys::Call(SYS_eventfd2, 0, O_CLOEXEC | O_NONBLOCK));
}

Napi::Value ClaimName(const Napi::CallbackInfo& info) {
  const std::string name = info[0].As<Napi::String>().Utf8Value();
  sockaddr_un address = {AF_UNIX, {}};
  if (name.size() >= sizeof(address.sun_path)) return Number(info.Env(), -ENAMETOOLONG);
  memcpy(address.sun_path + 1, name.data(), name.size());  // a first byte of 0: without a file
  Fd claim(sys::Socket(AF_UNIX, SOCK_STREAM));
  if (!claim) return Number(info.Env(), claim.release());
  const size_t size = offsetof(sockaddr_un, sun_path) + 1 + name.size();
  if (const long bound = sys::Call(SYS_bind, claim.get(), &address, size); bound < 0)
    return Number(info.Env(), bound);
  return Lent(info.Env(), claim.release());
}

Napi::Value CloseFds(const Napi::CallbackInfo& info) {
  const Napi::Array fds = info[0].As<Napi::Array>();
  for (uint32_t i = 0; i < fds.Length(); ++i)
    sys::Close(Reactor::Of(info.Env())->TakeBack(fds.Get(i).As<Napi::Number>().Int32Value()));
  return info.Env().Undefined();
}

Napi::Value DuplicateFd(const Napi::CallbackInfo& info) {
  return Lent(info.Env(), sys::Fcntl(info[0].As<Napi::Number>().Int32Value(), F_DUPFD_CLOEXEC, 3));
}

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
