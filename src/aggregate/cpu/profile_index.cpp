#include "aggregate/cpu/profile_index.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "aggregate/instance_times.h"
#include "profile/communication.h"

namespace dlview::aggregate::cpu {

using profile::Profile;
using profile::Row;

ProfileIndex::ProfileIndex(const Profile& profile)
    : times(instance_times(profile)),
      kernels(kernel_cells(profile)),
      memory_ops(memory_cells(profile)),
      groups(std::make_shared<const GroupTree>(build_group_tree(profile))),
      communicates(profile::communication_kernels(profile)) {
  std::map<std::string_view, Row> rows;
  for (const profile::StringId type : profile.ops.type) rows.emplace(profile.text(type), Row{0});
  Row next = 0;
  for (auto& [text, row] : rows) row = next++;
  op_types.resize(rows.size());
  for (const profile::StringId type : profile.ops.type) {
    type_of_op.push_back(rows.at(profile.text(type)));
    op_types[type_of_op.back()] = type;
  }
}

}  // namespace dlview::aggregate::cpu
