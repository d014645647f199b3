#include "remove_tree.h"

#include "tree_remover.h"

namespace sbx {
namespace {

class RemoveWork : public Napi::AsyncWorker {
 public:
  RemoveWork(Napi::Env env, int dir, std::string name, int64_t owner)
      : Napi::AsyncWorker(env),
        promise_(Napi::Promise::Deferred::New(env)),
        dir_(dir),
        name_(std::move(name)),
        owner_(owner) {}
  Napi::Value promise() const { return promise_.Promise(); }

 protected:
  void Execute() override { result_ = TreeRemover(dir_, owner_).Run(name_); }
  void OnOK() override { promise_.Resolve(Napi::Number::New(Env(), result_)); }

 private:
  Napi::Promise::Deferred promise_;
  int dir_;
  std::string name_;
  int64_t owner_;
  int result_ = 0;
};

}  // namespace

Napi::Value QueueRemoveTree(Napi::Env env, int dir, const std::string& name, int64_t owner) {
  auto* work = new RemoveWork(env, dir, name, owner);
  const Napi::Value promise = work->promise();
  work->Queue();
  return promise;
}

}  // namespace sbx
