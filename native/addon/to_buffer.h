// What was gathered, as JavaScript gets it.
#pragma once

#include <napi.h>

#include "gathered.h"

namespace sbx {

// The bytes without a copy where they have a mapping: it goes when the Buffer is collected. Nothing is left
// in `gathered`.
Napi::Buffer<char> ToBuffer(Napi::Env env, Gathered& gathered);

}  // namespace sbx
