#include "aggregate/engine/profile_index.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "aggregate/engine/kernel_totals.h"
#include "aggregate/instance_times.h"
#include "profile/communication.h"

namespace dlview::aggregate {

using profile::Profile;
using profile::Row;

namespace {

base::LargeVector<KernelTotals> count_kernels(const Profile& profile) {
  const auto& kernels = profile.kernels;
  base::LargeVector<KernelTotals> before(profile.instances.size() + 1);
  for (profile::InstanceIndex i{0}; i < profile.instances.size(); ++i) {
    KernelTotals totals = before[i];
    for (profile::KernelIndex k = profile.instances.first_kernel[i];
         k < profile.instances.first_kernel[i + 1]; ++k) {
      totals += totals_of_kernel(kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k],
                                 kernels.uses_tensor_cores[k] != 0);
    }
    before[i + 1] = totals;
  }
  return before;
}

}  // namespace

ProfileIndex::ProfileIndex(const Profile& profile)
    : times(instance_times(profile)),
      kernels(kernel_cells(profile, profile::communication_kernels(profile))),
      memory_ops(memory_cells(profile)),
      groups(std::make_shared<const GroupTree>(build_group_tree(profile))),
      kernels_before(count_kernels(profile)) {
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

}  // namespace dlview::aggregate
