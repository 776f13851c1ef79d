// How many rows of a table a thread goes through at a time.
#pragma once

#include <cstddef>

namespace dlview::import::capture {

inline constexpr std::size_t kRowsAtOnce = std::size_t{1} << 16;

}  // namespace dlview::import::capture
