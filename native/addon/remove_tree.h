#pragma once

#include <napi.h>

#include <string>

namespace sbx {

// Removes `name` and all below it, off the loop; takes over `dir`. Resolves to 0 or a negative error number.
Napi::Value QueueRemoveTree(Napi::Env env, int dir, const std::string& name, int64_t owner);

}  // namespace sbx
