#include "aggregate/group_tree.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace dlview::aggregate {
namespace {

using profile::kNoRow;
using profile::Row;

int32_t count_slashes(std::string_view text) {
  return static_cast<int32_t>(std::count(text.begin(), text.end(), '/'));
}

// "/a/b/op" -> "/a/b/"; "op" -> "". A name that itself ends in '/' lies in the group before it:
// only proper prefixes are groups.
std::string_view parent_path(std::string_view name) {
  if (name.size() < 2) return {};
  const std::size_t slash = name.rfind('/', name.size() - 2);
  return slash == std::string_view::npos ? std::string_view{} : name.substr(0, slash + 1);
}

}  // namespace

int32_t op_level(std::string_view op_name) {
  return count_slashes(op_name) + 1;
}

GroupTree build_group_tree(const profile::Profile& profile) {
  std::map<std::string_view, Row> rows;  // views into the profile's string table
  for (const profile::StringId name : profile.ops.name) {
    std::string_view path = parent_path(profile.text(name));
    while (!path.empty() && rows.emplace(path, kNoRow).second) path = parent_path(path);
  }

  GroupTree tree;
  tree.groups.reserve(rows.size());
  for (auto& [path, row] : rows) {
    row = static_cast<Row>(tree.groups.size());
    const std::string_view above = parent_path(path);
    tree.groups.push_back(
        {std::string(path), count_slashes(path), above.empty() ? kNoRow : rows.at(above)});
  }
  for (const profile::StringId name : profile.ops.name) {
    const std::string_view path = parent_path(profile.text(name));
    tree.group_of_op.push_back(path.empty() ? kNoRow : rows.at(path));
  }
  return tree;
}

}  // namespace dlview::aggregate
