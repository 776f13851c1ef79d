// ExclusiveIndex: exclusive time of every part, op, kernel name and idle cause, for any range of
// the iterations. Built once for a split; then a range is a difference of two prefixes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "aggregate/exclusive/exclusive_data.h"
#include "aggregate/exclusive/parts.h"
#include "aggregate/iterations.h"
#include "aggregate/rules/rule_index.h"
#include "profile/profile.h"

namespace dlview::aggregate {

class ExclusiveIndex {
 public:
  // Costs a pass over all events on all cores, and the cause of each idle gap. `rules`: of this
  // profile. The profile outlives it; nothing else does.
  ExclusiveIndex(const profile::Profile& profile, const RuleIndex& rules,
                 const Iterations& iterations, const Cut& cut);

  // Clamps the range. Costs the (op, kernel) pairs, and the entries of a few iterations.
  // PartSums::host_ns is the time in which the clock's thread (any thread, without a clock) runs an
  // op and does not wait in a call whose name contains "Synchronize"; host_loader_ns is the part of
  // it in ops that load data.
  PartSums sums(const IterationRange& range) const;

  // Exclusive ns of rows in each iteration of the range, summed over devices: [row][iteration].
  // `row_of` puts what has time into one of `rows` rows, or nowhere. Stored I/O stays where it was
  // recorded. Costs the entries of the range.
  std::vector<std::vector<int64_t>> by_iteration(
      const IterationRange& range, std::size_t rows,
      const std::function<std::optional<uint32_t>(const PartKey&)>& row_of) const;

  int64_t iteration_count() const {
    return static_cast<int64_t>(data_.durations_before_ns.size()) - 1;
  }
  std::size_t memory_bytes() const;

 private:
  // By row, then once more for events that run beside others.
  struct Sums {
    std::vector<int64_t> exclusive, total;
  };

  void add_before(const ExclusiveData::Gpu& gpu, std::size_t iteration, int64_t sign,
                  Sums& sums) const;
  void add_whole_before(const ExclusiveData::Gpu& gpu, std::size_t iteration, int64_t sign,
                        Sums& sums) const;
  void move_stored_io(const IterationRange& range, PartSums& result) const;

  const profile::Profile& profile_;
  Iterations iterations_;
  ExclusiveData data_;
};

}  // namespace dlview::aggregate
