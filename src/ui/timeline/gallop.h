// Search in ascending times from a place near to which the answer is thought to lie.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace dlview::ui::timeline {

// The first index from `from` on whose time is time_ns or later; times.size() = none. Costs the
// logarithm of its distance from `guess`, which may be any number.
inline std::size_t gallop(std::span<const int64_t> times, int64_t time_ns, std::size_t from,
                          std::size_t guess) {
  std::size_t low = std::min(from, times.size()), high = times.size();
  std::size_t stride = 1;
  std::size_t at = std::clamp(guess, low, high);
  const bool is_behind = at < high && times[at] < time_ns;
  if (is_behind) {
    while (at < high && times[at] < time_ns) {
      low = at + 1;
      at += stride;
      stride *= 2;
    }
    high = std::min(at, high);
  } else {
    high = at;
    while (low < high) {
      at = high - std::min(stride, high - low);
      if (times[at] < time_ns) {
        low = at + 1;
        break;
      }
      high = at;
      stride *= 2;
    }
  }
  const std::span<const int64_t> rest = times.subspan(low, high - low);
  return low + static_cast<std::size_t>(std::ranges::lower_bound(rest, time_ns) - rest.begin());
}

}  // namespace dlview::ui::timeline
