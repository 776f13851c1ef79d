#include "report/names.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

namespace dlview::report {

std::vector<std::string_view> split_names(std::string_view list) {
  std::vector<std::string_view> names;
  while (true) {
    const std::size_t comma = list.find(',');
    names.push_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return names;
    list.remove_prefix(comma + 1);
  }
}

base::Error unknown_name(std::string_view what, std::string_view name,
                         const std::vector<std::string_view>& valid_names) {
  // "kernels": all that have "kernel" in them.
  const std::string_view part = name.ends_with('s') ? name.substr(0, name.size() - 1) : name;
  std::vector<std::string_view> similar;
  for (const std::string_view valid : valid_names) {
    if (!part.empty() && valid.find(part) != valid.npos) similar.push_back(valid);
  }
  return {fmt::format("Unknown {}: \"{}\"", what, name),
          similar.empty() ? "" : fmt::format("Similar: {}", fmt::join(similar, ", ")),
          fmt::format("Valid values: {}", fmt::join(valid_names, ", "))};
}

}  // namespace dlview::report
