#include "aggregate/tensor_core_uses.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "profile/tensor_core_verdicts.h"

namespace dlview::aggregate {

using profile::Row;

std::vector<TensorCoreUses> tensor_core_uses(const profile::Profile& profile, Row first, Row last,
                                             const RowFilter* filter) {
  const profile::Kernels& kernels = profile.kernels;
  profile::TensorCoreVerdicts verdicts(profile);
  using Key = std::tuple<profile::StringId, bool, profile::TensorCoreUse, std::string_view>;
  std::map<Key, std::size_t> places;
  std::vector<TensorCoreUses> rows;
  const Row end = profile.instances.first_kernel[last];
  for (Row kernel = profile.instances.first_kernel[first]; kernel < end; ++kernel) {
    if (filter != nullptr && !filter->counts_kernel(kernel)) continue;
    const bool counted = kernels.uses_tensor_cores[kernel] != 0;
    const profile::TensorCoreVerdict present = verdicts.of(kernel);
    const auto [place, added] =
        places.emplace(Key{kernels.name[kernel], counted, present.use, present.rule}, rows.size());
    if (added) rows.push_back({kernels.name[kernel], counted, present});
    TensorCoreUses& row = rows[place->second];
    ++row.launches;
    row.gpu_ns += kernels.gpu_stop_ns[kernel] - kernels.gpu_start_ns[kernel];
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), &TensorCoreUses::gpu_ns);
  return rows;
}

TensorCoreDoubts doubts(const std::vector<TensorCoreUses>& uses) {
  TensorCoreDoubts sum;
  std::set<profile::StringId> names, unknown_names, all_names;
  for (const TensorCoreUses& row : uses) {
    all_names.insert(row.name);
    if (row.differs()) {
      names.insert(row.name);
      sum.launches += row.launches;
      sum.gpu_ns += row.gpu_ns;
    } else if (row.present.use == profile::TensorCoreUse::unknown) {
      unknown_names.insert(row.name);
      sum.unknown_launches += row.launches;
      sum.unknown_gpu_ns += row.gpu_ns;
    }
  }
  sum.names = std::ssize(names);
  sum.unknown_names = std::ssize(unknown_names);
  sum.all_names = std::ssize(all_names);
  return sum;
}

}  // namespace dlview::aggregate
