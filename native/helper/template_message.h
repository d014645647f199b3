// The Template message as it arrives: whether it may be believed. Pure.
#pragma once

#include "../common/channel.h"

namespace sbx {

constexpr unsigned kCgroupParentsMax = 8;  // one per hierarchy that the engine uses

// Every offset must lie inside the message, and the message ends with NUL, so no string can run out of it.
// `data` is aligned for TemplateRecord.
[[nodiscard]] bool TemplateIsSound(const Received& received, const char* data);

}  // namespace sbx
