// The tree of op groups: every proper prefix of an op name that ends in '/' is a group
// (formats.md 3), but for a slash that is part of a range's name (profile/nesting.h). It depends on
// the ops alone, so it is built once per profile.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace dlview::aggregate {

// Its name, "/module/net::forward/", is the beginning of an op's name: no text of its own.
struct Group {
  profile::StringId op_name = 0;
  uint32_t name_length = 0;               // bytes, the trailing '/' included
  int32_t level = 0;                      // number of '/' in the name that nest
  profile::Row parent = profile::kNoRow;  // row in GroupTree::groups
};

// A longer prefix is no group: no model nests so deeply, but a damaged file may.
inline constexpr int32_t kMostGroupLevels = 256;

struct GroupTree {
  // In byte order of the name: a parent precedes its children. Two groups have one name if its
  // slashes nest in one and not in the other.
  std::vector<Group> groups;
  std::vector<profile::Row> group_of_op;  // the innermost group; kNoRow for a name without '/'
};

std::string_view group_name(const profile::Profile& profile, const Group& group);

GroupTree build_group_tree(const profile::Profile& profile);

// "/module/net::forward/" -> "net::forward"; empty for the root "/".
std::string_view last_name(const profile::Profile& profile, const GroupTree& tree,
                           profile::Row group);

// Whether an op of that name lies in the group of that name, at any depth.
bool is_in_group(const profile::Profile& profile, std::string_view op_name, std::string_view group);

// The first row in GroupTree::groups with this name; kNoRow = none.
profile::Row find_group(const profile::Profile& profile, const GroupTree& tree,
                        std::string_view name);

// The ops in the group, at any depth, ascending.
std::vector<profile::OpIndex> ops_below(const GroupTree& tree, profile::Row group);

// Level of an op, or of a user range: number of '/' in its path that nest + 1.
int32_t op_level(const profile::Profile& profile, std::string_view path);

}  // namespace dlview::aggregate
