#include "aggregate/engine/layouts.h"

namespace dlview::aggregate {

GroupSlots::GroupSlots(const GroupTree& tree) : parent{0} {
  using profile::Row;
  const auto slot = [](Row group) { return group == profile::kNoRow ? Row{0} : group + 1; };
  for (const Group& group : tree.groups) parent.push_back(slot(group.parent));
  for (const Row group : tree.group_of_op) of_op.push_back(slot(group));
}

}  // namespace dlview::aggregate
