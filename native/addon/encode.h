// Reports of the helper to JavaScript.
#pragma once

#include <napi.h>

#include "../common/channel.h"
#include "reactor.h"

namespace sbx {

// One message into the environment's row; descriptors become numbers that JavaScript owns from then on. What
// outputs hold, as far as that is in the message, comes back as an array in their order; undefined when
// nothing does.
Napi::Value PutReport(Reactor& reactor, const char* message, Received& received);

}  // namespace sbx
