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

UnknownTensorCoreUse::UnknownTensorCoreUse(const profile::Profile& profile) : profile_(&profile) {
  if (!profile.source.by_tensor_core_rules) return;
  const profile::Kernels& kernels = profile.kernels;
  profile::TensorCoreVerdicts verdicts(profile);
  // Of most names the rules know, whatever else they ask: then no kernel is looked at any closer.
  enum class Known : uint8_t { not_asked, always, perhaps };
  std::vector<Known> known(profile.strings.size());
  for (Row kernel = 0; kernel < kernels.size(); ++kernel) {
    const profile::StringId long_name = kernels.long_name[kernel];
    const profile::StringId name = long_name == 0 ? kernels.name[kernel] : long_name;
    if (known[name] == Known::not_asked) {
      known[name] = verdicts.may_not_know(name) ? Known::perhaps : Known::always;
    }
    if (known[name] == Known::always) continue;
    if (verdicts.of(kernel).use != profile::TensorCoreUse::unknown) continue;
    kernels_.push_back(kernel);
    ns_before_.push_back(ns_before_.back() + kernels.gpu_stop_ns[kernel] -
                         kernels.gpu_start_ns[kernel]);
  }
}

int64_t UnknownTensorCoreUse::gpu_ns(const Aggregation& aggregation) const {
  const auto& iterations = aggregation.iteration_table->iterations.rows;
  const auto& [range_first, range_last] = aggregation.selection.range;
  const auto place_of = [this](Row instance) {
    const Row kernel = profile_->instances.first_kernel[instance];
    return static_cast<std::size_t>(std::ranges::lower_bound(kernels_, kernel) - kernels_.begin());
  };
  const std::size_t first =
      place_of(iterations[static_cast<std::size_t>(range_first)].first_instance);
  const std::size_t end = place_of(iterations[static_cast<std::size_t>(range_last)].last_instance);
  const auto& filters = aggregation.selection.filters;
  if (filters.empty()) return ns_before_[end] - ns_before_[first];
  const RowFilter filter(*profile_, filters);
  int64_t sum_ns = 0;
  for (std::size_t i = first; i < end; ++i) {
    if (filter.counts_kernel(kernels_[i])) sum_ns += ns_before_[i + 1] - ns_before_[i];
  }
  return sum_ns;
}

}  // namespace dlview::aggregate
