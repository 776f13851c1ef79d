// The tree of op groups: every proper prefix of an op name that ends in '/' is a group
// (dlprof-database.md, section 3). It depends on the ops alone, so it is built once per profile.
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
  int32_t level = 0;                      // number of '/' in the name
  profile::Row parent = profile::kNoRow;  // row in GroupTree::groups
};

struct GroupTree {
  std::vector<Group> groups;  // in byte order of the name: a parent stands before its children
  std::vector<profile::Row> group_of_op;  // the innermost group; kNoRow for a name without '/'
};

std::string_view group_name(const profile::Profile& profile, const Group& group);

GroupTree build_group_tree(const profile::Profile& profile);

// Row in GroupTree::groups; kNoRow = no group has this name.
profile::Row find_group(const profile::Profile& profile, const GroupTree& tree,
                        std::string_view name);

// The ops in the group, at any depth, ascending.
std::vector<profile::Row> ops_below(const GroupTree& tree, profile::Row group);

// Level of an op: number of '/' in its name + 1.
int32_t op_level(std::string_view op_name);

}  // namespace dlview::aggregate
