// Every step at which we can fail, by name: errors name it, none says "stage 7".
#pragma once

#include <stdint.h>

namespace sbx {

enum class Stage : uint16_t {
#define SBX_STAGE(name, text) k_##name,
#include "../protocol/stages.def"
};

}  // namespace sbx
