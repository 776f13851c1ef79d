#include "aggregate/group_tree.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "profile/nesting.h"

namespace dlview::aggregate {
namespace {

using profile::kNoRow;
using profile::OpIndex;
using profile::Row;

int32_t count_slashes(std::string_view text) {
  return static_cast<int32_t>(std::count(text.begin(), text.end(), '/'));
}

// An op's or a group's path, and its nesting.
struct Path {
  std::string_view name, nesting;
  auto operator<=>(const Path&) const = default;
  Path first(std::size_t length) const {
    return {name.substr(0, length), nesting.substr(0, length)};
  }
};

Path path_of(const profile::Profile& profile, profile::StringId op_name) {
  const std::string_view name = profile.text(op_name);
  return {name, profile::nesting_of(profile, name)};
}

// "/a/b/op" -> "/a/b/"; "op" -> "". A name that itself ends in '/' lies in the group before it:
// only proper prefixes are groups.
Path parent_path(const Path& path) {
  if (path.nesting.size() < 2) return {};
  const std::size_t slash = path.nesting.rfind('/', path.nesting.size() - 2);
  return slash == std::string_view::npos ? Path{} : path.first(slash + 1);
}

// The innermost group of an op, of at most kMostGroupLevels.
Path group_path(const Path& op) {
  int32_t slashes = 0;
  for (std::size_t i = 0; i + 1 < op.nesting.size(); ++i) {
    if (op.nesting[i] == '/' && ++slashes == kMostGroupLevels) return op.first(i + 1);
  }
  return parent_path(op);
}

}  // namespace

int32_t op_level(const profile::Profile& profile, std::string_view path) {
  return count_slashes(profile::nesting_of(profile, path)) + 1;
}

bool is_in_group(const profile::Profile& profile, std::string_view op_name,
                 std::string_view group) {
  return group.ends_with('/') && op_name.size() > group.size() && op_name.starts_with(group) &&
         profile::nesting_of(profile, op_name)[group.size() - 1] == '/';
}

std::string_view group_name(const profile::Profile& profile, const Group& group) {
  return profile.text(group.op_name).substr(0, group.name_length);
}

std::string_view last_name(const profile::Profile& profile, const GroupTree& tree, Row group) {
  std::string_view name = group_name(profile, tree.groups[group]);
  name.remove_suffix(1);
  const Row parent = tree.groups[group].parent;
  return parent == kNoRow ? name : name.substr(tree.groups[parent].name_length);
}

Row find_group(const profile::Profile& profile, const GroupTree& tree, std::string_view name) {
  const auto name_of = [&](const Group& group) { return group_name(profile, group); };
  const auto found = std::ranges::lower_bound(tree.groups, name, {}, name_of);
  if (found == tree.groups.end() || name_of(*found) != name) return kNoRow;
  return static_cast<Row>(found - tree.groups.begin());
}

std::vector<OpIndex> ops_below(const GroupTree& tree, Row group) {
  std::vector<OpIndex> ops;
  for (OpIndex op{0}; op < tree.group_of_op.size(); ++op) {
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
  std::map<Path, Place> places;  // views into the profile's string table
  for (const profile::StringId name : profile.ops.name) {
    Path path = group_path(path_of(profile, name));
    while (!path.name.empty() && places.emplace(path, Place{name, kNoRow}).second) {
      path = parent_path(path);
    }
  }
  const auto row_of = [&places](const Path& path) {
    return path.name.empty() ? kNoRow : places.at(path).row;
  };

  GroupTree tree;
  tree.groups.reserve(places.size());
  for (auto& [path, place] : places) {
    place.row = static_cast<Row>(tree.groups.size());
    const Row parent = row_of(parent_path(path));
    const int32_t level =
        parent == kNoRow ? count_slashes(path.nesting) : tree.groups[parent].level + 1;
    tree.groups.push_back({place.op_name, static_cast<uint32_t>(path.name.size()), level, parent});
  }
  for (const profile::StringId name : profile.ops.name) {
    tree.group_of_op.push_back(row_of(group_path(path_of(profile, name))));
  }
  return tree;
}

}  // namespace dlview::aggregate
