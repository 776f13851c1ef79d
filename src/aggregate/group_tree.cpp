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

std::string_view group_name(const profile::Profile& profile, const Group& group) {
  return profile.text(group.op_name).substr(0, group.name_length);
}

Row find_group(const profile::Profile& profile, const GroupTree& tree, std::string_view name) {
  const auto name_of = [&](const Group& group) { return group_name(profile, group); };
  const auto found = std::ranges::lower_bound(tree.groups, name, {}, name_of);
  if (found == tree.groups.end() || name_of(*found) != name) return kNoRow;
  return static_cast<Row>(found - tree.groups.begin());
}

std::vector<Row> ops_below(const GroupTree& tree, Row group) {
  std::vector<Row> ops;
  for (Row op = 0; op < tree.group_of_op.size(); ++op) {
    Row above = tree.group_of_op[op];
    while (above != kNoRow && above != group) above = tree.groups[above].parent;
    if (above == group) ops.push_back(op);
  }
  return ops;
}

GroupTree build_group_tree(const profile::Profile& profile) {
  struct Place {
    profile::StringId op_name;
    Row row;
  };
  std::map<std::string_view, Place> places;  // views into the profile's string table
  for (const profile::StringId name : profile.ops.name) {
    std::string_view path = parent_path(profile.text(name));
    while (!path.empty() && places.emplace(path, Place{name, kNoRow}).second) {
      path = parent_path(path);
    }
  }
  const auto row_of = [&places](std::string_view path) {
    return path.empty() ? kNoRow : places.at(path).row;
  };

  GroupTree tree;
  tree.groups.reserve(places.size());
  for (auto& [path, place] : places) {
    place.row = static_cast<Row>(tree.groups.size());
    const Row parent = row_of(parent_path(path));
    const int32_t level = parent == kNoRow ? count_slashes(path) : tree.groups[parent].level + 1;
    tree.groups.push_back({place.op_name, static_cast<uint32_t>(path.size()), level, parent});
  }
  for (const profile::StringId name : profile.ops.name) {
    tree.group_of_op.push_back(row_of(parent_path(profile.text(name))));
  }
  return tree;
}

}  // namespace dlview::aggregate
