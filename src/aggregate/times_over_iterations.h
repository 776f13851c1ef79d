// TimesOverIterations: the GPU time of each row of a table in the iterations of the range, for
// sparklines. Under filters it is the time that matches them, as in the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "aggregate/aggregation.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// Consecutive iterations share a bucket if there are more of them.
inline constexpr std::size_t kMostTimeBuckets = 40;

class TimesOverIterations {
 public:
  struct Extremes {
    int64_t min_ns = 0, max_ns = 0;  // of single iterations
    int64_t max_iteration = 0;  // the first one with max_ns; without GPU time that of the range
    bool operator==(const Extremes&) const = default;
  };

  // One entry of `extremes` and `buckets` values of `ns` for each row.
  TimesOverIterations(std::size_t buckets, std::vector<float> ns, std::vector<Extremes> extremes)
      : buckets_(buckets), ns_(std::move(ns)), extremes_(std::move(extremes)) {}

  std::size_t row_count() const { return extremes_.size(); }
  // The row's GPU time per iteration: the mean of each bucket, in order of time.
  std::span<const float> buckets_of(std::size_t row) const {
    return std::span(ns_).subspan(row * buckets_, buckets_);
  }
  const Extremes& extremes_of(std::size_t row) const { return extremes_[row]; }

 private:
  std::size_t buckets_;
  std::vector<float> ns_;
  std::vector<Extremes> extremes_;
};

// Which rows the time of an op counts in: its row, and those that contain this row.
struct RowsOfOps {
  std::size_t row_count = 0;
  std::vector<uint32_t> row_of_op;    // by op row; kNoRow = in none
  std::vector<uint32_t> parent = {};  // of each row; kNoRow = none. Empty = no row contains another
};

// GPU times of ops, as TimeStats::gpu: the union of each instance, added. One pass over the
// instances of the range on all cores, with about 50 bytes of temporary memory per row and core.
TimesOverIterations op_times_over_iterations(const profile::Profile& profile,
                                             const Aggregation& aggregation, const RowsOfOps& rows);

// Durations of kernels added. `row_of` runs on several threads; kNoRow = the kernel counts in no
// row. `ops`: those whose kernels count; empty = all.
TimesOverIterations kernel_times_over_iterations(
    const profile::Profile& profile, const Aggregation& aggregation, std::size_t row_count,
    std::span<const profile::OpIndex> ops,
    const std::function<uint32_t(profile::OpIndex, profile::KernelIndex)>& row_of);

}  // namespace dlview::aggregate
