#include "profile/display_name.h"

#include <algorithm>

namespace dlview::profile {

std::string_view call_name(std::string_view name) {
  const std::size_t at = name.rfind("_v");
  if (at == 0 || at == std::string_view::npos || at + 2 == name.size()) return name;
  const std::string_view version = name.substr(at + 2);
  const bool is_number =
      std::ranges::all_of(version, [](char digit) { return '0' <= digit && digit <= '9'; });
  return is_number ? name.substr(0, at) : name;
}

std::string_view bare_range_name(std::string_view text) {
  const std::size_t comma = text.find(", ");
  const bool has_arguments = comma != text.npos && text.find(" = ", comma) != text.npos;
  return has_arguments ? text.substr(0, comma) : text;
}

}  // namespace dlview::profile
