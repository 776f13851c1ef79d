// Short names of files, where there is no room for their paths.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlview::workspace {

// The last part of a path, also of a folder's that ends in a slash.
std::string name_of_file(std::string_view path);

// Returns the last parts of each path, as many as needed to be unique; equal paths have equal
// names.
std::vector<std::string> distinct_names(const std::vector<std::string>& paths);

}  // namespace dlview::workspace
