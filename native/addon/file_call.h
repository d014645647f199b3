// Calls on files of a sandbox. What a living program holds the lock of is waited for, for seconds where it
// means harm; so such calls are made on another thread, and the loop goes on.
#pragma once

#include <napi.h>

#include <functional>

namespace sbx {

using FileCall = std::function<long(int dir)>;
using GiveResult = Napi::Value (*)(Napi::Env env, long result);

// A promise of what `give` makes of the call's result. The call gets a descriptor of its own.
Napi::Value QueueFileCall(Napi::Env env, int dir, FileCall call, GiveResult give);

// The folder that a call starts in, and whether it is made on another thread.
struct FilePlace {
  int dir;
  bool later;
};

template <class Call>
Napi::Value MakeFileCall(Napi::Env env, FilePlace place, Call call, GiveResult give) {
  if (place.later) return QueueFileCall(env, place.dir, std::move(call), give);
  return give(env, call(place.dir));
}

}  // namespace sbx
