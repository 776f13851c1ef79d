// What the columns of several tables share: row numbers and dimensions.
#pragma once

#include <cstdint>

namespace dlview::profile {

using Row = uint32_t;
inline constexpr Row kNoRow = UINT32_MAX;

struct Dim3 {
  int32_t x = 1, y = 1, z = 1;
  bool operator==(const Dim3&) const = default;
};

}  // namespace dlview::profile
