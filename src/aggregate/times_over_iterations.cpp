#include "aggregate/times_over_iterations.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "aggregate/instance_times.h"
#include "aggregate/row_filter.h"
#include "base/parallel.h"

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::kNoRow;
using profile::OpIndex;

using Extremes = TimesOverIterations::Extremes;

// The extremes of a row in the iterations in which it has a value; in the others its time is 0.
struct SeenExtremes {
  Extremes extremes;
  int64_t iterations = 0;

  void add(int64_t ns, int64_t iteration) { merge({{ns, ns, iteration}, 1}); }
  void merge(const SeenExtremes& other) {
    if (other.iterations == 0) return;
    const Extremes& more = other.extremes;
    const bool is_first = iterations == 0;
    const bool is_earlier =
        more.max_ns == extremes.max_ns && more.max_iteration < extremes.max_iteration;
    if (is_first || more.max_ns > extremes.max_ns || is_earlier) {
      extremes.max_ns = more.max_ns;
      extremes.max_iteration = more.max_iteration;
    }
    extremes.min_ns = is_first ? more.min_ns : std::min(extremes.min_ns, more.min_ns);
    iterations += other.iterations;
  }
  Extremes of_range(const IterationRange& range) const {
    if (iterations == range.size()) return extremes;
    const int64_t min_ns = std::min<int64_t>(extremes.min_ns, 0);
    if (extremes.max_ns <= 0) return {min_ns, 0, range.first};
    return {min_ns, extremes.max_ns, extremes.max_iteration};
  }
};

// The times of all rows in one iteration, and what is known of them at its end.
class IterationTimes {
 public:
  explicit IterationTimes(std::size_t rows) : ns_(rows), is_touched_(rows), seen_(rows) {}

  void add(uint32_t row, int64_t ns) {
    if (!is_touched_[row]) touched_.push_back(row);
    is_touched_[row] = true;
    ns_[row] += ns;
  }
  // use(row, ns) for the rows with a time in the iteration.
  template <typename Use>
  void end(int64_t iteration, const Use& use) {
    for (const uint32_t row : touched_) {
      use(row, ns_[row]);
      seen_[row].add(ns_[row], iteration);
      ns_[row] = 0;
      is_touched_[row] = false;
    }
    touched_.clear();
  }
  void merge_into(std::vector<SeenExtremes>& all) const {
    for (std::size_t row = 0; row < all.size(); ++row) all[row].merge(seen_[row]);
  }

 private:
  std::vector<int64_t> ns_;
  std::vector<bool> is_touched_;
  std::vector<uint32_t> touched_;
  std::vector<SeenExtremes> seen_;
};

// make_visit() returns a function (instance, add) that calls add(row, ns); one for each thread.
template <typename MakeVisit>
TimesOverIterations sum_over_iterations(const Aggregation& aggregation, std::size_t row_count,
                                        const MakeVisit& make_visit) {
  const std::vector<Iteration>& iterations = aggregation.iteration_table->iterations.rows;
  const IterationRange range = aggregation.selection.range;
  const auto size = static_cast<std::size_t>(range.size());
  const std::size_t buckets = std::min(size, kMostTimeBuckets);
  const auto begin_of = [&](std::size_t bucket) { return bucket * size / buckets; };
  std::vector<float> ns(row_count * buckets);
  std::vector<SeenExtremes> seen(row_count);
  std::mutex mutex;
  base::parallel_for(buckets, 1, [&](std::size_t begin, std::size_t end) {
    auto visit = make_visit();
    IterationTimes times(row_count);
    std::vector<double> sums(row_count);
    for (std::size_t bucket = begin; bucket < end; ++bucket) {
      for (std::size_t at = begin_of(bucket); at < begin_of(bucket + 1); ++at) {
        const int64_t number = range.first + static_cast<int64_t>(at);
        const Iteration& iteration = iterations[static_cast<std::size_t>(number)];
        for (InstanceIndex i = iteration.first_instance; i < iteration.last_instance; ++i) {
          visit(i, [&](uint32_t row, int64_t time_ns) { times.add(row, time_ns); });
        }
        times.end(number, [&](uint32_t row, int64_t time_ns) {
          sums[row] += static_cast<double>(time_ns);
        });
      }
      const auto count = static_cast<double>(begin_of(bucket + 1) - begin_of(bucket));
      for (std::size_t row = 0; row < row_count; ++row) {
        ns[row * buckets + bucket] = static_cast<float>(std::exchange(sums[row], 0) / count);
      }
    }
    const std::scoped_lock lock(mutex);
    times.merge_into(seen);
  });
  std::vector<Extremes> extremes;
  extremes.reserve(row_count);
  for (const SeenExtremes& of_row : seen) extremes.push_back(of_row.of_range(range));
  return {buckets, std::move(ns), std::move(extremes)};
}

}  // namespace

TimesOverIterations op_times_over_iterations(const profile::Profile& profile,
                                             const Aggregation& aggregation,
                                             const RowsOfOps& rows) {
  const bool filtered = !aggregation.selection.filters.empty();
  const RowFilter filter(profile, aggregation.selection.filters);
  return sum_over_iterations(aggregation, rows.row_count, [&] {
    return [&, timer = InstanceTimer(profile)](InstanceIndex instance, const auto& add) mutable {
      uint32_t row = rows.row_of_op[profile.instances.op[instance]];
      if (row == kNoRow || (filtered && !filter.counts_instance(instance))) return;
      const int64_t ns =
          filtered ? timer.times_of(instance, filter).gpu : timer.times_of(instance).gpu;
      for (; row != kNoRow; row = rows.parent.empty() ? kNoRow : rows.parent[row]) add(row, ns);
    };
  });
}

TimesOverIterations kernel_times_over_iterations(
    const profile::Profile& profile, const Aggregation& aggregation, std::size_t row_count,
    std::span<const OpIndex> ops, const std::function<uint32_t(OpIndex, KernelIndex)>& row_of) {
  const RowFilter filter(profile, aggregation.selection.filters);
  std::vector<bool> counts_op(profile.ops.size(), ops.empty());
  for (const OpIndex op : ops) counts_op[op] = true;
  return sum_over_iterations(aggregation, row_count, [&] {
    return [&](InstanceIndex instance, const auto& add) {
      const OpIndex op = profile.instances.op[instance];
      if (!counts_op[op]) return;
      const KernelIndex end = profile.instances.first_kernel[instance + 1];
      for (KernelIndex k = profile.instances.first_kernel[instance]; k < end; ++k) {
        if (!filter.counts_kernel(k)) continue;
        const uint32_t row = row_of(op, k);
        if (row == kNoRow) continue;
        add(row, profile.kernels.gpu_stop_ns[k] - profile.kernels.gpu_start_ns[k]);
      }
    };
  });
}

}  // namespace dlview::aggregate
