#include "uncounted.h"

#include <vector>

#include "../common/fd.h"
#include "decode.h"
#include "file_call.h"
#include "uncounted_bytes.h"

namespace sbx {

Napi::Value CountUncounted(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const std::vector<int> pids = args.Ints("pids");
  const bool network = args.Flag("network");
  const uint64_t enough = args.Uint64("enough", 0);
  if (args.failed()) return {};
  const Fd proc(sys::Open(AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY));
  const auto count = [=](int folder) { return (long)UncountedBytes(folder, pids, network, enough); };
  return QueueFileCall(info.Env(), proc.get(), count,
      [](Napi::Env env, long bytes) -> Napi::Value { return Napi::Number::New(env, (double)bytes); });
}

}  // namespace sbx
