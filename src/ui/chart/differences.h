// How differences of durations read: always with their sign.
#pragma once

#include <cstdint>
#include <string>

namespace dlview::ui {

// "+142 ms", "−3.1 µs", "0".
std::string format_difference(int64_t difference_ns);

}  // namespace dlview::ui
