// The tree of op groups: every proper prefix of an op name that ends in '/' is a group
// (dlprof-database.md, section 3). It depends on the ops alone, so it is built once per profile.
#pragma once

#include <string>
#include <vector>

#include "profile/profile.h"

namespace dlview::aggregate {

struct Group {
  std::string name;                       // with its trailing '/': "/module/net::forward/"
  int32_t level = 0;                      // number of '/' in the name
  profile::Row parent = profile::kNoRow;  // row in GroupTree::groups
};

struct GroupTree {
  std::vector<Group> groups;  // in byte order of the name: a parent stands before its children
  std::vector<profile::Row> group_of_op;  // the innermost group; kNoRow for a name without '/'
};

GroupTree build_group_tree(const profile::Profile& profile);

// Level of an op: number of '/' in its name + 1.
int32_t op_level(std::string_view op_name);

}  // namespace dlview::aggregate
