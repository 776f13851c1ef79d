// Rows by their paths: those that end in '/' contain what begins with them. All are closed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ui/table/table_data.h"

namespace dlview::testing {

inline ui::RowTree tree_of_paths(const std::vector<std::string>& paths) {
  std::unordered_map<std::string_view, uint32_t> groups;
  for (uint32_t row = 0; row < paths.size(); ++row) {
    if (paths[row].ends_with('/')) groups.emplace(paths[row], row);
  }
  ui::RowTree tree;
  tree.parent.assign(paths.size(), ui::RowTree::kTop);
  tree.is_open.resize(paths.size());
  tree.has_children.resize(paths.size());
  for (uint32_t row = 0; row < paths.size(); ++row) {
    std::string_view path = paths[row];
    if (path.ends_with('/')) path.remove_suffix(1);
    const auto parent = groups.find(path.substr(0, path.rfind('/') + 1));
    if (parent == groups.end()) continue;
    tree.parent[row] = parent->second;
    tree.has_children[parent->second] = true;
  }
  return tree;
}

}  // namespace dlview::testing
