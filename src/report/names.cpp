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
  return {fmt::format("Unknown {}: \"{}\"", what, name), "",
          fmt::format("Valid values: {}", fmt::join(valid_names, ", "))};
}

}  // namespace dlview::report
