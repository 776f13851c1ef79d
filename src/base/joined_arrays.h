// Arrays of one type, joined to one at compile time.
#pragma once

#include <array>
#include <cstddef>

namespace dlview::base {

template <typename T, std::size_t... kSizes>
constexpr auto joined_arrays(const std::array<T, kSizes>&... arrays) {
  std::array<T, (kSizes + ...)> all{};
  std::size_t end = 0;
  const auto add = [&](const auto& array) {
    for (const T& value : array) all[end++] = value;
  };
  (add(arrays), ...);
  return all;
}

}  // namespace dlview::base
