// The limits of the options of `dlview generate`, for profiles of all formats.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include <fmt/format.h>

#include "base/result.h"

namespace dlview::generate {

inline constexpr int64_t kMostIterations = 1'000'000;
inline constexpr int64_t kMostKernels = 100'000'000;

struct LimitedOption {
  std::string_view name;  // "--gpus"
  int64_t value = 0;
  int64_t least = 0, most = 0;  // both are valid
};

// Returns an Error about the first option whose value is out of its limits.
inline base::Status check_options(std::initializer_list<LimitedOption> options) {
  for (const LimitedOption& option : options) {
    if (option.value >= option.least && option.value <= option.most) continue;
    return base::Error{fmt::format("Invalid {}: {}", option.name, option.value), "",
                       fmt::format("Valid values: {} to {}", option.least, option.most)};
  }
  return base::Success{};
}

}  // namespace dlview::generate
