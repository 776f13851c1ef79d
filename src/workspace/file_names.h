// What files are called where there is no room for their paths.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlview::workspace {

// The last part of a path, also of a folder's that ends in a slash.
std::string name_of_file(std::string_view path);

// The last parts of each path, as many as it takes to tell it from the others; equal paths keep
// equal names.
std::vector<std::string> distinct_names(const std::vector<std::string>& paths);

}  // namespace dlview::workspace
