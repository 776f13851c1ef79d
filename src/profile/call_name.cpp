#include "profile/call_name.h"

#include <algorithm>

namespace dlview::profile {

std::string_view call_name(std::string_view name) {
  constexpr std::size_t kVersion = 6;
  if (name.size() <= kVersion) return name;
  const std::string_view version = name.substr(name.size() - kVersion);
  const bool is_version = version.starts_with("_v") &&
                          std::all_of(version.begin() + 2, version.end(),
                                      [](char digit) { return '0' <= digit && digit <= '9'; });
  return is_version ? name.substr(0, name.size() - kVersion) : name;
}

}  // namespace dlview::profile
