// Reading numbers that people write.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dlview::base {

// A whole number from 0 on and nothing else; nullopt = it is none, or too large.
std::optional<int64_t> parse_natural(std::string_view text);

}  // namespace dlview::base
