#include "file_call.h"

#include "../common/fd.h"

namespace sbx {
namespace {

class FileCallWork : public Napi::AsyncWorker {
 public:
  FileCallWork(Napi::Env env, Fd dir, FileCall call, GiveResult give)
      : Napi::AsyncWorker(env),
        promise_(Napi::Promise::Deferred::New(env)),
        dir_(static_cast<Fd&&>(dir)),
        call_(std::move(call)),
        give_(give) {}
  Napi::Value promise() const { return promise_.Promise(); }

 protected:
  void Execute() override {
    result_ = call_(dir_.get());
    dir_.reset();
  }
  void OnOK() override { promise_.Resolve(give_(Env(), result_)); }

 private:
  Napi::Promise::Deferred promise_;
  Fd dir_;
  FileCall call_;
  GiveResult give_;
  long result_ = 0;
};

}  // namespace

Napi::Value QueueFileCall(Napi::Env env, int dir, FileCall call, GiveResult give) {
  // The caller's may be closed meanwhile, and its number another's.
  Fd own(sys::Fcntl(dir, F_DUPFD_CLOEXEC, 0));
  if (!own) return Napi::Number::New(env, own.release());
  auto* work = new FileCallWork(env, static_cast<Fd&&>(own), std::move(call), give);
  const Napi::Value promise = work->promise();
  work->Queue();
  return promise;
}

}  // namespace sbx
