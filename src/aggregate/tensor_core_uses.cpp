#include "aggregate/tensor_core_uses.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <tbb/enumerable_thread_specific.h>

#include "base/blocks.h"
#include "profile/tensor_core_verdicts.h"

namespace dlview::aggregate {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::Row;

namespace {

constexpr std::size_t kKernelsAtOnce = 65'536;

// Rows in order of first use.
class UsesByName {
 public:
  void add(const TensorCoreUses& more) {
    const auto [place, added] = places_.emplace(
        Key{more.name, more.counted, more.present.use, more.present.rule}, rows_.size());
    if (added) {
      rows_.push_back(more);
      return;
    }
    TensorCoreUses& row = rows_[place->second];
    row.launches += more.launches;
    row.gpu_ns += more.gpu_ns;
  }
  std::vector<TensorCoreUses>& rows() { return rows_; }

 private:
  using Key = std::tuple<profile::StringId, bool, profile::TensorCoreUse, std::string_view>;
  std::map<Key, std::size_t> places_;
  std::vector<TensorCoreUses> rows_;
};

// Of most names the rules know, whatever else they ask: then no kernel is looked at any closer.
class UnknownKernels {
 public:
  explicit UnknownKernels(const profile::Profile& profile)
      : kernels_(&profile.kernels), verdicts_(profile), known_(profile.strings.size()) {}

  bool has(KernelIndex kernel) {
    const profile::StringId long_name = kernels_->long_name[kernel];
    const profile::StringId name = long_name == 0 ? kernels_->name[kernel] : long_name;
    Known& known = known_[name];
    if (known == Known::not_asked) {
      known = verdicts_.may_not_know(name) ? Known::perhaps : Known::always;
    }
    return known == Known::perhaps && verdicts_.of(kernel).use == profile::TensorCoreUse::unknown;
  }

 private:
  enum class Known : uint8_t { not_asked, always, perhaps };

  const profile::Kernels* kernels_;
  profile::TensorCoreVerdicts verdicts_;
  std::vector<Known> known_;  // by name
};

// The kernels of the range: from the first one to before the second one.
std::pair<KernelIndex, KernelIndex> kernels_of_range(const profile::Profile& profile,
                                                     const Aggregation& aggregation) {
  const auto& iterations = aggregation.iteration_table->iterations.rows;
  const auto& [first, last] = aggregation.selection.range;
  const auto& first_kernel = profile.instances.first_kernel;
  return {first_kernel[iterations[static_cast<std::size_t>(first)].first_instance],
          first_kernel[iterations[static_cast<std::size_t>(last)].last_instance]};
}

}  // namespace

std::vector<KernelIndex> kernels_of_unknown_use(const profile::Profile& profile) {
  if (!profile.source.by_tensor_core_rules) return {};
  base::Blocks<std::vector<KernelIndex>> blocks(profile.kernels.size(), kKernelsAtOnce);
  tbb::enumerable_thread_specific<UnknownKernels> of_threads(
      [&profile] { return UnknownKernels(profile); });
  blocks.for_each([&](std::vector<KernelIndex>& found, std::size_t begin, std::size_t end) {
    UnknownKernels& unknown = of_threads.local();
    for (std::size_t i = begin; i < end; ++i) {
      const KernelIndex kernel(static_cast<Row>(i));
      if (unknown.has(kernel)) found.push_back(kernel);
    }
  });
  std::vector<KernelIndex> all;
  for (const std::vector<KernelIndex>& found : blocks.states()) {
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

std::vector<TensorCoreUses> tensor_core_uses(const profile::Profile& profile, InstanceIndex first,
                                             InstanceIndex last, const RowFilter* filter) {
  const profile::Kernels& kernels = profile.kernels;
  const KernelIndex first_kernel = profile.instances.first_kernel[first];
  base::Blocks<UsesByName> blocks(profile.instances.first_kernel[last] - first_kernel,
                                  kKernelsAtOnce);
  tbb::enumerable_thread_specific<profile::TensorCoreVerdicts> of_threads(
      [&profile] { return profile::TensorCoreVerdicts(profile); });
  blocks.for_each([&](UsesByName& uses, std::size_t begin, std::size_t end) {
    profile::TensorCoreVerdicts& verdicts = of_threads.local();
    for (std::size_t i = begin; i < end; ++i) {
      const KernelIndex kernel(static_cast<Row>(first_kernel + i));
      if (filter != nullptr && !filter->counts_kernel(kernel)) continue;
      uses.add({kernels.name[kernel], kernels.uses_tensor_cores[kernel] != 0, verdicts.of(kernel),
                1, kernels.gpu_stop_ns[kernel] - kernels.gpu_start_ns[kernel]});
    }
  });
  UsesByName all;
  for (UsesByName& uses : blocks.states()) {
    for (const TensorCoreUses& row : uses.rows()) all.add(row);
  }
  std::ranges::stable_sort(all.rows(), std::ranges::greater(), &TensorCoreUses::gpu_ns);
  return std::move(all.rows());
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
  const std::vector<KernelIndex> kernels = kernels_of_unknown_use(profile);
  if (kernels.empty()) return;
  of_ops_.resize(profile.ops.size());
  of_names_.resize(profile.strings.size());
  times_of_ops_.resize(profile.ops.size());
  for (const KernelIndex kernel : kernels) {
    of_ops_[profile.instances.op[profile.kernels.instance[kernel]]] = true;
    of_names_[profile.kernels.name[kernel]] = true;
    add(kernel);
  }
}

UnknownTensorCoreUse::UnknownTensorCoreUse(const UnknownTensorCoreUse& all,
                                           const std::vector<Filter>& filters)
    : profile_(all.profile_),
      times_of_ops_(all.times_of_ops_.size()),
      of_ops_(all.of_ops_),
      of_names_(all.of_names_) {
  const RowFilter filter(*profile_, filters);
  for (const KernelIndex kernel : all.times_.kernels) {
    if (filter.counts_kernel(kernel)) add(kernel);
  }
}

void UnknownTensorCoreUse::add(KernelIndex kernel) {
  times_.add(*profile_, kernel);
  times_of_ops_[profile_->instances.op[profile_->kernels.instance[kernel]]].add(*profile_, kernel);
}

void UnknownTensorCoreUse::Times::add(const profile::Profile& profile, KernelIndex kernel) {
  kernels.push_back(kernel);
  ns_before.push_back(ns_before.back() + profile.kernels.gpu_stop_ns[kernel] -
                      profile.kernels.gpu_start_ns[kernel]);
}

int64_t UnknownTensorCoreUse::Times::between(KernelIndex first, KernelIndex last) const {
  const auto place_of = [this](KernelIndex kernel) {
    return static_cast<std::size_t>(std::ranges::lower_bound(kernels, kernel) - kernels.begin());
  };
  return ns_before[place_of(last)] - ns_before[place_of(first)];
}

UnknownTensorCoreUse UnknownTensorCoreUse::filtered(const std::vector<Filter>& filters) const {
  return {*this, filters};
}

int64_t UnknownTensorCoreUse::gpu_ns(const Aggregation& aggregation) const {
  const auto [first, last] = kernels_of_range(*profile_, aggregation);
  return times_.between(first, last);
}

int64_t UnknownTensorCoreUse::eligible_gpu_ns(const Aggregation& aggregation) const {
  if (times_of_ops_.empty()) return 0;
  const auto [first, last] = kernels_of_range(*profile_, aggregation);
  int64_t sum_ns = 0;
  for (const OpAggregate& op : aggregation.ops) {
    if (!profile_->is_eligible(op.op) && !op.uses_tensor_cores()) continue;
    sum_ns += times_of_ops_[op.op].between(first, last);
  }
  return sum_ns;
}

int64_t unknown_eligible_ns(const profile::Profile& profile, const Aggregation& aggregation) {
  const UnknownTensorCoreUse unknown(profile);
  const auto& filters = aggregation.selection.filters;
  return (filters.empty() ? unknown : unknown.filtered(filters)).eligible_gpu_ns(aggregation);
}

}  // namespace dlview::aggregate
