// Files that the host holds by descriptor: those that a program writes to and whose content is wanted, and
// those that it is given to read.
#include "held_files.h"

#include <errno.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <memory>
#include <string>

#include "../common/fd.h"
#include "../common/memory_file.h"
#include "decode.h"
#include "file_call.h"
#include "file_identity.h"
#include "open_below.h"
#include "reactor.h"
#include "sparse_copy.h"

namespace sbx {
namespace {

constexpr long kCopyAtOnceBytes = 256 * 1024;  // more is copied on another thread

Napi::Value Number(Napi::Env env, long value) { return Napi::Number::New(env, (double)value); }
Napi::Value Lent(Napi::Env env, long fd) { return Number(env, Reactor::Of(env)->Lend((int)fd)); }

// The file through a mount of its own that is read-only and has no other name: whoever gets the descriptor
// cannot open it for writing through /proc, whatever its mode says, nor learn where it lies. Not for all
// kinds of files, and only for root.
int OpenReadOnlyView(int fd) {
  Fd tree(sys::OpenTree(fd, "", OPEN_TREE_CLONE | AT_EMPTY_PATH));
  if (!tree) return tree.release();
  struct mount_attr attributes = {};
  attributes.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
  attributes.propagation = MS_PRIVATE;
  if (const int set = sys::MountSetAttr(tree.get(), "", AT_EMPTY_PATH, &attributes); set < 0) return set;
  return Reopen(tree.get(), O_RDONLY);
}

// All of a file in sealed memory, by the kernel.
int CopyToMemory(int from) {
  Fd file(NewMemoryFile(kInputName));
  if (!file) return file.release();
  if (const long copied = CopyAll(from, file.get()); copied < 0) return (int)copied;
  return SealedView(file.get());
}

// A regular file, made or cut.
int OpenToWrite(int dir, const std::string& path, double mode) {
  Fd file(OpenBelow(dir, path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, mode < 0 ? 0644 : (mode_t)mode, false));
  if (!file) return file.release();
  struct stat status = {};
  if (const int error = CheckRegular(file.get(), status); error < 0) return error;
  // The host's umask has had its say; a mode that was asked for is meant.
  if (mode >= 0) (void)!RawSyscall(SYS_fchmod, file.get(), (mode_t)mode);
  (void)sys::Fcntl(file.get(), F_SETFL, 0);  // opened without waiting; the program writes as to any file
  return file.release();
}

}  // namespace

// Of an opened file two descriptors: for the program to write to, and to read it from.
static Napi::Value LentPair(Napi::Env env, long opened) {
  Fd file((int)opened);
  if (!file) return Number(env, opened);
  const int read = Reopen(file.get(), O_RDONLY);
  if (read < 0) return Number(env, read);
  const Napi::Array result = Napi::Array::New(env, 2);
  result.Set(0u, Lent(env, file.release()));
  result.Set(1u, Lent(env, read));
  return result;
}

Napi::Value OpenOutput(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const int dir = args.Int("dir");
  const std::string path = args.Text("path");
  const double mode = args.Number("mode", -1);
  const bool collect = args.Flag("collect"), later = args.Flag("later");
  const auto owner = (int64_t)args.Number("owner");
  if (args.failed()) return {};
  const auto open = [=](int below) { return AsOwner(owner, [&] { return OpenToWrite(below, path, mode); }); };
  return MakeFileCall(info.Env(), {dir, later}, open, collect ? LentPair : Lent);
}

Napi::Value TakeFile(const Napi::CallbackInfo& info) {
  Fd file(Reactor::Of(info.Env())->TakeBack(info[0].As<Napi::Number>().Int32Value()));
  const double maxBytes = info[1].As<Napi::Number>().DoubleValue();
  struct stat status = {};
  if (const long got = sys::Call(SYS_fstat, file.get(), &status); got < 0) return Number(info.Env(), got);
  return ReadOpened(info.Env(), file.get(), status, maxBytes);
}

Napi::Value GiveAway(const Napi::CallbackInfo& info) {
  return Number(info.Env(), Reactor::Of(info.Env())->TakeBack(info[0].As<Napi::Number>().Int32Value()));
}

Napi::Value ReadOnlyFile(const Napi::CallbackInfo& info) {
  const int fd = info[0].As<Napi::Number>().Int32Value();
  struct stat status = {};
  if (const int error = CheckRegular(fd, status); error < 0) return Number(info.Env(), error);
  if (const int view = OpenReadOnlyView(fd); view >= 0) return Lent(info.Env(), view);
  if (IsSealed(fd)) return Lent(info.Env(), Reopen(fd, O_RDONLY));
  if (status.st_size <= kCopyAtOnceBytes) return Lent(info.Env(), CopyToMemory(fd));
  return QueueFileCall(info.Env(), fd, CopyToMemory, Lent);
}

// (from, to, later). On another thread what is large, or on a slow file system: it must not keep the loop.
static Napi::Value CopyOpened(const Napi::CallbackInfo& info, long (*copy)(int from, int to)) {
  const int from = info[0].As<Napi::Number>().Int32Value();
  const auto to =
      std::make_shared<Fd>(Reactor::Of(info.Env())->TakeBack(info[1].As<Napi::Number>().Int32Value()));
  struct stat status = {};
  if (const int error = CheckRegular(from, status); error < 0) return Number(info.Env(), error);
  const bool later =
      status.st_size > kCopyAtOnceBytes || (info[2].IsBoolean() && info[2].As<Napi::Boolean>());
  const auto work = [=](int own) {
    const long copied = copy(own, to->get());
    to->reset();  // a program that it is must not be open for writing when it is told to run
    return copied;
  };
  return MakeFileCall(info.Env(), {from, later}, work, Number);
}

Napi::Value CopyFile(const Napi::CallbackInfo& info) { return CopyOpened(info, CopyAll); }

Napi::Value CopyWithin(const Napi::CallbackInfo& info) { return CopyOpened(info, CopySparse); }

}  // namespace sbx
