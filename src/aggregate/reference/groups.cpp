#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "aggregate/reference/op_times.h"
#include "profile/nesting.h"

namespace dlview::aggregate::reference {
namespace {

using profile::Profile;
using profile::Row;

using Prefix = std::pair<std::string, std::string>;  // of a name, and of its nesting

// Every proper prefix of `name` whose nesting ends in '/', shortest first, up to kMostGroupLevels.
std::vector<Prefix> prefixes(const Profile& profile, std::string_view name) {
  const std::string_view nesting = profile::nesting_of(profile, name);
  std::vector<Prefix> found;
  for (std::size_t length = 1; length < name.size(); ++length) {
    if (found.size() == kMostGroupLevels) break;
    if (nesting[length - 1] == '/') {
      found.emplace_back(name.substr(0, length), nesting.substr(0, length));
    }
  }
  return found;
}

}  // namespace

TimeStats model_times(const Profile& profile, const Kept& kept,
                      const std::vector<InstanceInRange>& instances) {
  std::map<int64_t, InstanceTimes> times_of_iteration;
  for (const auto& [instance, iteration] : instances) {
    times_of_iteration[iteration] += instance_times(profile, kept, instance);
  }
  TimeStats model;
  for (const auto& [iteration, times] : times_of_iteration) model.add(times);
  return model;
}

GroupTree group_tree(const Profile& profile) {
  std::map<Prefix, std::pair<profile::StringId, Row>> groups;  // op that it is taken from, row
  for (const auto name : profile.ops.name) {
    for (const Prefix& prefix : prefixes(profile, profile.text(name))) groups[prefix] = {name, 0};
  }
  const auto row_of_last = [&groups](const std::vector<Prefix>& above) {
    return above.empty() ? profile::kNoRow : groups.at(above.back()).second;
  };
  GroupTree tree;
  for (auto& [prefix, place] : groups) {
    const std::string &name = prefix.first, &nesting = prefix.second;
    place.second = static_cast<Row>(tree.groups.size());
    const auto level = static_cast<int32_t>(std::count(nesting.begin(), nesting.end(), '/'));
    std::vector<Prefix> above = prefixes(profile, profile.text(place.first));
    std::erase_if(above, [&](const Prefix& other) { return other.first.size() >= name.size(); });
    tree.groups.push_back(
        {place.first, static_cast<uint32_t>(name.size()), level, row_of_last(above)});
  }
  for (const auto name : profile.ops.name) {
    tree.group_of_op.push_back(row_of_last(prefixes(profile, profile.text(name))));
  }
  return tree;
}

std::vector<GroupAggregate> group_aggregates(const Profile& profile, const Kept& kept,
                                             const GroupTree& tree,
                                             const std::vector<InstanceInRange>& instances,
                                             const std::vector<OpAggregate>& ops) {
  std::map<Row, GroupAggregate> groups;
  std::map<std::pair<Row, int64_t>, InstanceTimes> times_of_iteration;  // by group and iteration
  for (const auto& [instance, iteration] : instances) {
    const InstanceTimes times = instance_times(profile, kept, instance);
    for (Row group = tree.group_of_op[profile.instances.op[instance]]; group != profile::kNoRow;
         group = tree.groups[group].parent) {
      groups[group].group = group;
      ++groups[group].instance_count;
      times_of_iteration[{group, iteration}] += times;
    }
  }
  for (const auto& [key, times] : times_of_iteration) groups[key.first].times.add(times);

  for (const OpAggregate& op : ops) {
    const bool eligible =
        profile.ops.tensor_core_support[op.op] == profile::TensorCoreSupport::eligible;
    for (Row group = tree.group_of_op[op.op]; group != profile::kNoRow;
         group = tree.groups[group].parent) {
      if (eligible) ++groups[group].eligible_ops;
      if (op.uses_tensor_cores()) ++groups[group].tensor_core_ops;
    }
  }
  std::vector<GroupAggregate> result;
  for (const auto& [row, group] : groups) result.push_back(group);
  return result;
}

}  // namespace dlview::aggregate::reference
