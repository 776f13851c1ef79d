// Types of NVTX events that have a place in time, of ENUM_NSYS_EVENT_TYPE: the same in all
// versions.
#pragma once

#include <cstdint>

namespace dlview::profile {

inline constexpr int16_t kNvtxMark = 34, kPushPopRange = 59, kStartEndRange = 60;

}  // namespace dlview::profile
