// Reports of the helper to JavaScript objects.
#pragma once

#include <napi.h>

#include "../common/channel.h"

namespace sbx {

// One message as `{ kind, … }`; descriptors become numbers that JavaScript owns from then on.
Napi::Value EncodeMessage(Napi::Env env, const char* message, Received& received);

// Tables that TypeScript must not copy: stage names, counters, causes, limits of the records.
Napi::Object EncodeConstants(Napi::Env env);

}  // namespace sbx
