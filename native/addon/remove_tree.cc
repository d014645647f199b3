// A hostile tree can be 30 000 folders deep or have names that add up past any path limit: no recursion, no path. Folders
// found inside are moved up into the one that is being emptied, so two descriptors are enough for any depth.
#include "remove_tree.h"

#include <dirent.h>
#include <errno.h>

#include "../common/fd.h"

namespace sbx {
namespace {

struct Entry {
  uint64_t inode;
  int64_t offset;
  unsigned short size;
  unsigned char type;
  char name[];
};

class Remover {
 public:
  explicit Remover(int dir) : top_(dir) {}

  int Remove(const char* name) {
    int removed = sys::UnlinkAt(top_.get(), name, 0);
    if (removed != -EISDIR && removed != -EPERM) return removed;
    for (;;) {
      removed = sys::UnlinkAt(top_.get(), name, AT_REMOVEDIR);
      if (removed != -ENOTEMPTY && removed != -EEXIST) return removed;
      if (const int emptied = Empty(name); emptied < 0) return emptied;
    }
  }

 private:
  // Takes everything out of folder `name`: files go, folders with content move beside it to be emptied in turn.
  int Empty(const char* name) {
    Fd folder(sys::Open(top_.get(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    if (!folder) return -EACCES;
    alignas(8) char buffer[16384];
    for (;;) {
      const long size = sys::GetDents(folder.get(), buffer, sizeof(buffer));
      if (size <= 0) return (int)size;
      for (long at = 0; at < size;) {
        const auto* entry = reinterpret_cast<const Entry*>(buffer + at);
        at += entry->size;
        if (const int taken = Take(folder.get(), entry->name); taken < 0) return taken;
      }
    }
  }

  int Take(int folder, const char* name) {
    if (name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'))) return 0;
    int removed = sys::UnlinkAt(folder, name, 0);
    if (removed == -EISDIR || removed == -EPERM) removed = sys::UnlinkAt(folder, name, AT_REMOVEDIR);
    if (removed != -ENOTEMPTY && removed != -EEXIST) return removed == -ENOENT ? 0 : removed;
    const std::string moved = ".sbx-removed-" + std::to_string(next_++);
    if (const long renamed = sys::Call(SYS_renameat2, folder, name, top_.get(), moved.c_str(), 0); renamed < 0) return (int)renamed;
    pending_.push_back(moved);
    return 0;
  }

 public:
  // The folders that were moved up; each may bring more.
  int RemovePending() {
    while (!pending_.empty()) {
      const std::string name = pending_.back();
      pending_.pop_back();
      if (const int removed = Remove(name.c_str()); removed < 0) return removed;
    }
    return 0;
  }

 private:
  Fd top_;
  unsigned next_ = 0;
  std::vector<std::string> pending_;
};

class RemoveWork : public Napi::AsyncWorker {
 public:
  RemoveWork(Napi::Env env, int dir, std::string name) : Napi::AsyncWorker(env), promise_(Napi::Promise::Deferred::New(env)), dir_(dir), name_(std::move(name)) {}
  Napi::Value promise() const { return promise_.Promise(); }

 protected:
  void Execute() override {
    Remover remover(dir_);
    result_ = remover.Remove(name_.c_str());
    if (result_ >= 0) result_ = remover.RemovePending();
  }
  void OnOK() override { promise_.Resolve(Napi::Number::New(Env(), result_)); }

 private:
  Napi::Promise::Deferred promise_;
  int dir_;
  std::string name_;
  int result_ = 0;
};

}  // namespace

Napi::Value QueueRemoveTree(Napi::Env env, int dir, const std::string& name) {
  auto* work = new RemoveWork(env, dir, name);
  const Napi::Value promise = work->promise();
  work->Queue();
  return promise;
}

}  // namespace sbx
