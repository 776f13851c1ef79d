// Lists of names on a command line: "csv,json".
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"

namespace dlview::report {

// The names between commas. An empty list is one empty name, which no list of valid names holds.
std::vector<std::string_view> split_names(std::string_view list);

// "Unknown report", naming the valid ones.
base::Error unknown_name(std::string_view what, std::string_view name,
                         const std::vector<std::string_view>& valid_names);

}  // namespace dlview::report
