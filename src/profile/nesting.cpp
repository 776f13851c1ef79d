#include "profile/nesting.h"

#include <algorithm>

namespace dlview::profile {

std::string nesting_of_name(std::string_view name) {
  std::string nesting(name);
  std::ranges::replace(nesting, '/', kSlashInName);
  return nesting;
}

std::string_view nesting_of(const Profile& profile, std::string_view path) {
  const NamesWithSlashes& names = profile.names_with_slashes;
  if (names.size() == 0) return path;
  const auto text = [&profile](StringId id) { return profile.text(id); };
  const auto found = std::ranges::lower_bound(names.path.span(), path, {}, text);
  const auto row = static_cast<std::size_t>(found - names.path.span().begin());
  if (row == names.size() || text(names.path[row]) != path) return path;
  // A cache file that is damaged beneath the mapping reads as zeros.
  const std::string_view nesting = text(names.nesting[row]);
  return nesting.size() == path.size() ? nesting : path;
}

std::string_view last_name(const Profile& profile, std::string_view path) {
  return path.substr(nesting_of(profile, path).rfind('/') + 1);
}

}  // namespace dlview::profile
