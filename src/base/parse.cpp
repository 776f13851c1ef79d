#include "base/parse.h"

#include <charconv>

namespace dlview::base {

std::optional<int64_t> parse_natural(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace dlview::base
