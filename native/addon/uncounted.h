// UncountedBytes for JavaScript.
#pragma once

#include <napi.h>

namespace sbx {

// { pids, network, enough }: a promise of the bytes, counted on another thread, or a negative error number.
Napi::Value CountUncounted(const Napi::CallbackInfo& info);

}  // namespace sbx
