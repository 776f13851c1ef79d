#include "aggregate/comparison/call_index.h"

#include <algorithm>
#include <span>
#include <utility>

namespace dlview::aggregate {

using profile::InstanceIndex;
using profile::OpIndex;
using profile::Profile;
using profile::Row;
using profile::StringId;

namespace {

// Turns counts into the first place of each list, and one more.
void sum_up(std::vector<std::size_t>& counts) {
  std::size_t first = 0;
  for (std::size_t& count : counts) first += std::exchange(count, first);
}

// How many of the sorted rows are before `row`, of `all` rows. Calls are spread evenly over a run:
// the search begins where the row would be then, and doubles its steps.
std::size_t count_before(std::span<const Row> sorted, Row row, std::size_t all) {
  if (sorted.empty()) return 0;
  const auto guess =
      static_cast<std::size_t>(uint64_t{row} * sorted.size() / std::max(all, std::size_t{1}));
  std::size_t low = std::min(guess, sorted.size() - 1), high = low + 1, step = 1;
  // Rows before `low` are before the row, those from `high` on are not.
  while (low > 0 && sorted[low - 1] >= row) {
    high = low;
    low -= std::min(low, step);
    step *= 2;
  }
  for (step = 1; high < sorted.size() && sorted[high - 1] < row; step *= 2) {
    low = high;
    high = std::min(sorted.size(), high + step);
  }
  const auto begin = sorted.begin();
  return static_cast<std::size_t>(std::lower_bound(begin + static_cast<std::ptrdiff_t>(low),
                                                   begin + static_cast<std::ptrdiff_t>(high), row) -
                                  begin);
}

int64_t count_within(std::span<const Row> sorted, const InstanceSpan& rows, std::size_t all) {
  return static_cast<int64_t>(count_before(sorted, Row(rows.last), all)) -
         static_cast<int64_t>(count_before(sorted, Row(rows.first), all));
}

}  // namespace

CallIndex::CallIndex(const Profile& profile) {
  const auto& ops = profile.instances.op;
  first_instance_.resize(profile.ops.size() + 1);
  for (InstanceIndex i{0}; i < ops.size(); ++i) ++first_instance_[ops[i]];
  sum_up(first_instance_);
  instances_.resize(ops.size());
  std::vector<std::size_t> next = first_instance_;
  for (InstanceIndex i{0}; i < ops.size(); ++i) instances_[next[ops[i]]++] = i;

  // Rows are in order of their instance, so that each list is, too.
  const auto for_each_launch = [&](const auto& use) {
    const auto& kernels = profile.kernels;
    for (profile::KernelIndex k{0}; k < kernels.size(); ++k) {
      use(kernels.instance[k], kernels.name[k]);
    }
    const auto& memory_ops = profile.memory_ops;
    for (profile::MemoryOpIndex m{0}; m < memory_ops.size(); ++m) {
      use(memory_ops.instance[m], memory_ops.name[m]);
    }
  };
  std::size_t count = 0;
  for_each_launch([&](InstanceIndex instance, StringId name) {
    const auto [entry, is_new] =
        launch_list_.try_emplace(key_of(ops[instance], name), first_launch_.size());
    if (is_new) first_launch_.push_back(0);
    ++first_launch_[entry->second];
    ++count;
  });
  first_launch_.push_back(0);
  sum_up(first_launch_);
  launches_.resize(count);
  next = first_launch_;
  for_each_launch([&](InstanceIndex instance, StringId name) {
    launches_[next[launch_list_.at(key_of(ops[instance], name))]++] = instance;
  });
  // A kernel with the name of a call shares its list.
  for (std::size_t list = 0; list + 1 < first_launch_.size(); ++list) {
    const auto at = [&](std::size_t place) {
      return launches_.begin() + static_cast<std::ptrdiff_t>(first_launch_[place]);
    };
    if (!std::is_sorted(at(list), at(list + 1))) std::sort(at(list), at(list + 1));
  }
}

int64_t CallIndex::calls(OpIndex op, const InstanceSpan& rows) const {
  return count_within(
      std::span(instances_)
          .subspan(first_instance_[op], first_instance_[op + 1] - first_instance_[op]),
      rows, instances_.size());
}

int64_t CallIndex::launches(OpIndex op, StringId name, const InstanceSpan& rows) const {
  const auto entry = launch_list_.find(key_of(op, name));
  if (entry == launch_list_.end()) return 0;
  const std::size_t first = first_launch_[entry->second];
  return count_within(std::span(launches_).subspan(first, first_launch_[entry->second + 1] - first),
                      rows, instances_.size());
}

}  // namespace dlview::aggregate
