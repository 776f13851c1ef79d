#include "aggregate/range_sums.h"

#include <array>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "aggregate/instance_times.h"
#include "base/blocks.h"
#include "profile/launch_sizes.h"

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::Row;

constexpr std::size_t kRowsOfBlock = 65'536;

// Rows by a key of a few numbers, in order of first use.
template <typename Sum>
class SumsByKey {
 public:
  using Key = std::array<int64_t, 4>;

  // The row of the key; made by `make()` when it is new.
  template <typename Make>
  Sum& at(const Key& key, const Make& make) {
    if (last_ != 0 && key == last_key_) return sums_[last_ - 1];
    std::size_t& place = places_[key];
    if (place == 0) {
      sums_.push_back(make());
      keys_.push_back(key);
      place = sums_.size();
    }
    last_key_ = key;
    last_ = place;
    return sums_[place - 1];
  }
  // `add(sum, other)` for each row of the other one.
  template <typename Add>
  void merge(const SumsByKey& other, const Add& add) {
    for (std::size_t i = 0; i < other.sums_.size(); ++i) {
      const Sum& more = other.sums_[i];
      const std::size_t before = sums_.size();
      Sum& sum = at(other.keys_[i], [&more] { return more; });
      if (sums_.size() == before) add(sum, more);
    }
  }
  std::vector<Sum>& sums() { return sums_; }

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const {
      constexpr uint64_t kOddFactor = 0x9e3779b97f4a7c15;
      uint64_t hash = 0;
      for (const int64_t number : key) {
        hash = (hash ^ static_cast<uint64_t>(number)) * kOddFactor;
        hash ^= hash >> 32;
      }
      return hash;
    }
  };
  std::unordered_map<Key, std::size_t, Hash> places_;  // in sums_, + 1
  std::vector<Key> keys_;
  std::vector<Sum> sums_;
  Key last_key_{};
  std::size_t last_ = 0;  // of the last key; 0 = none
};

// The same number for launches of the same grid and block, by LaunchIndex.
std::vector<uint32_t> size_numbers(const profile::Launches& launches) {
  std::map<std::array<int32_t, 6>, uint32_t> number_of;
  std::vector<uint32_t> numbers;
  for (profile::LaunchIndex launch{0}; launch < launches.size(); ++launch) {
    const profile::Dim3 &grid = launches.grid[launch], &block = launches.block[launch];
    const auto next = static_cast<uint32_t>(number_of.size());
    const std::array size{grid.x, grid.y, grid.z, block.x, block.y, block.z};
    numbers.push_back(number_of.emplace(size, next).first->second);
  }
  return numbers;
}

// Shapes of one text may be recorded in several ways. Keeps the order.
template <typename Add>
std::vector<OpShapes> join_equal_shapes(const profile::Profile& profile,
                                        const std::vector<OpShapes>& rows, const Add& add) {
  std::unordered_map<std::string_view, profile::StringId> first_of;  // by text
  SumsByKey<OpShapes> joined;
  for (const OpShapes& row : rows) {
    const profile::StringId shapes =
        first_of.emplace(shapes_text(profile, row.input_shapes), row.input_shapes).first->second;
    const std::size_t before = joined.sums().size();
    OpShapes& sum = joined.at({profile::Row{row.op}, shapes}, [&row] { return row; });
    if (joined.sums().size() == before) add(sum, row);
  }
  return std::move(joined.sums());
}

}  // namespace

std::string_view shapes_text(const profile::Profile& profile, profile::StringId shapes) {
  std::string_view text = profile.text(shapes);
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text == "null" ? std::string_view() : text;
}

std::vector<LaunchConfiguration> launch_configurations(const profile::Profile& profile,
                                                       const CountedRows& rows) {
  constexpr int64_t kNone = -1;
  const profile::Kernels& kernels = profile.kernels;
  const std::vector<uint32_t> size_of = size_numbers(profile.launches);
  const KernelIndex first = profile.instances.first_kernel[rows.first];
  const KernelIndex last = profile.instances.first_kernel[rows.last];
  base::Blocks<SumsByKey<LaunchConfiguration>> blocks(last - first, kRowsOfBlock);
  blocks.for_each([&](SumsByKey<LaunchConfiguration>& sums, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const KernelIndex kernel(static_cast<Row>(first + i));
      if (!rows.has_op(profile.instances.op[kernels.instance[kernel]])) continue;
      if (rows.filter != nullptr && !rows.filter->counts_kernel(kernel)) continue;
      const profile::StringId name = kernels.name[kernel];
      const profile::LaunchIndex launch = kernels.launch[kernel];
      const bool has_size = profile::has_launch_size(profile, kernel);
      const profile::LaunchAttributes attributes = profile::launch_attributes(profile, kernel);
      const SumsByKey<LaunchConfiguration>::Key key{name, has_size ? size_of[launch] : kNone,
                                                    attributes.registers_per_thread.value_or(kNone),
                                                    attributes.shared_bytes.value_or(kNone)};
      LaunchConfiguration& sum = sums.at(key, [&] {
        LaunchConfiguration made{.name = name,
                                 .size = {},
                                 .registers_per_thread = attributes.registers_per_thread,
                                 .shared_bytes = attributes.shared_bytes,
                                 .gpu = {},
                                 .means = {}};
        if (has_size) made.size = {profile.launches.grid[launch], profile.launches.block[launch]};
        return made;
      });
      const int64_t gpu_ns = kernels.gpu_stop_ns[kernel] - kernels.gpu_start_ns[kernel];
      sum.gpu.add(gpu_ns);
      sum.means.add(attributes, gpu_ns);
      sum.uses_tensor_cores |= kernels.uses_tensor_cores[kernel] != 0;
    }
  });
  SumsByKey<LaunchConfiguration> all;
  for (const auto& sums : blocks.states()) {
    all.merge(sums, [](LaunchConfiguration& sum, const LaunchConfiguration& more) {
      sum.gpu.merge(more.gpu);
      sum.means.merge(more.means);
      sum.uses_tensor_cores |= more.uses_tensor_cores;
    });
  }
  return std::move(all.sums());
}

std::unordered_map<profile::StringId, LaunchMeans> launch_means_by_name(
    const profile::Profile& profile, const CountedRows& rows) {
  std::unordered_map<profile::StringId, LaunchMeans> means;
  if (!profile::tells_occupancy(profile)) return means;
  for (const LaunchConfiguration& launch : launch_configurations(profile, rows)) {
    means[launch.name].merge(launch.means);
  }
  return means;
}

std::vector<OpShapes> ops_by_shapes(const profile::Profile& profile, const CountedRows& rows) {
  const profile::OpInstances& instances = profile.instances;
  base::Blocks<SumsByKey<OpShapes>> blocks(rows.last - rows.first, kRowsOfBlock);
  blocks.for_each([&](SumsByKey<OpShapes>& sums, std::size_t begin, std::size_t end) {
    InstanceTimer timer(profile);
    for (std::size_t i = begin; i < end; ++i) {
      const InstanceIndex instance(static_cast<Row>(rows.first + i));
      const profile::OpIndex op = instances.op[instance];
      if (!rows.has_op(op)) continue;
      if (rows.filter != nullptr && !rows.filter->counts_instance(instance)) continue;
      const profile::StringId shapes = instances.input_shapes[instance];
      OpShapes& sum = sums.at({profile::Row{op}, shapes}, [&] {
        return OpShapes{.op = op, .input_shapes = shapes, .times = {}};
      });
      sum.times.add(rows.filter == nullptr ? timer.times_of(instance)
                                           : timer.times_of(instance, *rows.filter));
      for (KernelIndex kernel = instances.first_kernel[instance];
           kernel < instances.first_kernel[instance + 1]; ++kernel) {
        if (rows.filter != nullptr && !rows.filter->counts_kernel(kernel)) continue;
        ++sum.kernel_count;
        if (profile.kernels.uses_tensor_cores[kernel] != 0) ++sum.tensor_core_kernels;
      }
    }
  });
  const auto add = [](OpShapes& sum, const OpShapes& more) {
    sum.times.merge(more.times);
    sum.kernel_count += more.kernel_count;
    sum.tensor_core_kernels += more.tensor_core_kernels;
  };
  SumsByKey<OpShapes> all;
  for (const auto& sums : blocks.states()) all.merge(sums, add);
  return join_equal_shapes(profile, all.sums(), add);
}

}  // namespace dlview::aggregate
