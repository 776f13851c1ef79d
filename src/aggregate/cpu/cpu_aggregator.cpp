// The CPU engine. Three layers of work, each done as rarely as it can be: per profile (instance
// times, device timelines, kernel pairs), per cut (iterations and their breakdown), per range (sums
// over rows). Filters put a layer of their own beside the first two, of the rows that they keep;
// the unfiltered one stays, so that taking filters away costs nothing.

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include "aggregate/aggregator.h"
#include "aggregate/cpu/cut_index.h"
#include "aggregate/cpu/range_sums.h"
#include "aggregate/cpu/summaries.h"

namespace dlview::aggregate {
namespace cpu {
namespace {

using profile::Profile;

// Below this many kernels and instances a second thread costs more than it saves.
constexpr int64_t kParallelRows = 200'000;

// What one set of filters keeps.
struct FilterIndex {
  FilterIndex(const Profile& profile, const ProfileIndex& index,
              const std::vector<DeviceTimeline>& all, const std::vector<Filter>& wanted)
      : filters(wanted),
        rows(keep_rows(profile, index.times, RowFilter(profile, wanted))),
        timelines(device_timelines(std::move(rows.on_device), all)) {}

  std::vector<Filter> filters;
  KeptRows rows;
  std::vector<DeviceTimeline> timelines;
  std::optional<CutIndex> cut;
};

class CpuAggregator : public Aggregator {
 public:
  explicit CpuAggregator(std::shared_ptr<const Profile> shared)
      : Aggregator(std::move(shared)), index_(profile()), timelines_(device_timelines(profile())) {}

  std::shared_ptr<const IterationTable> iteration_table(const Cut& cut) override {
    return cut_index(cut).table;
  }
  std::string_view name() const override { return "cpu"; }

 private:
  Aggregation compute(const Selection& selection) override {
    const CutIndex& whole = cut_index(selection.cut);
    if (selection.filters.empty()) return compute(selection, whole, nullptr);
    FilterIndex& part = filter_index(selection.filters);
    if (!part.cut || part.cut->cut != selection.cut) {
      part.cut.emplace(profile(), part.timelines, part.rows, whole);
    }
    return compute(selection, *part.cut, &part.rows);
  }

  Aggregation compute(const Selection& selection, const CutIndex& cut, const KeptRows* kept) {
    Aggregation result;
    result.selection = selection;
    result.iteration_table = cut.table;
    result.group_tree = index_.groups;
    add_times(cut, result);
    summarise(profile(), index_, range_sums(cut.table->iterations, selection.range, kept), result);
    add_stored_io(profile(), result);
    return result;
  }

  FilterIndex& filter_index(const std::vector<Filter>& filters) {
    if (!filtered_ || filtered_->filters != filters) {
      filtered_.reset();  // before the new one takes memory
      filtered_.emplace(profile(), index_, timelines_, filters);
    }
    return *filtered_;
  }

  const CutIndex& cut_index(const Cut& cut) {
    if (!cut_ || cut_->cut != cut) cut_.emplace(profile(), timelines_, cut);
    return *cut_;
  }

  RangeSums range_sums(const Iterations& iterations, const IterationRange& range,
                       const KeptRows* kept) const {
    const auto first = static_cast<std::size_t>(range.first);
    const auto end = static_cast<std::size_t>(range.last) + 1;
    const auto add = [&](const tbb::blocked_range<std::size_t>& part, RangeSums sums) {
      for (std::size_t i = part.begin(); i != part.end(); ++i) sums.add(iterations.rows[i]);
      return sums;
    };
    const tbb::blocked_range<std::size_t> all(first, end, (end - first + 7) / 8);
    const RangeSums zero(profile(), index_, kept);
    if (row_count(iterations, range, kept) < kParallelRows) return add(all, zero);
    return tbb::parallel_deterministic_reduce(all, zero, add, [](RangeSums a, const RangeSums& b) {
      a.merge(b);
      return a;
    });
  }

  int64_t row_count(const Iterations& iterations, const IterationRange& range,
                    const KeptRows* kept) const {
    const auto& first_kernel = profile().instances.first_kernel;
    const profile::Row first =
        iterations.rows[static_cast<std::size_t>(range.first)].first_instance;
    const profile::Row last = iterations.rows[static_cast<std::size_t>(range.last)].last_instance;
    if (kept == nullptr) return int64_t{last} - first + first_kernel[last] - first_kernel[first];
    return std::ssize(rows_between(kept->instances, first, last)) +
           std::ssize(rows_between(kept->kernels, first_kernel[first], first_kernel[last]));
  }

  // Range and wall time, and what each device did meanwhile.
  void add_times(const CutIndex& cut, Aggregation& result) const {
    const auto& rows = cut.table->iterations.rows;
    const IterationRange& range = result.selection.range;
    const auto first = static_cast<std::size_t>(range.first);
    const auto last = static_cast<std::size_t>(range.last);
    result.wall_ns = rows[last].stop_ns - rows[first].start_ns;
    for (std::size_t i = first; i <= last; ++i) result.range_ns += rows[i].duration_ns();
    for (std::size_t d = 0; d < timelines_.size(); ++d) {
      DeviceAggregate device;
      device.device = static_cast<profile::Row>(d);
      device.breakdown = cut.device_breakdown(d, range);
      device.kernel_union_ns = device.breakdown[Category::tensor_core_kernels] +
                               device.breakdown[Category::other_kernels];
      result.breakdown += device.breakdown;
      result.devices.push_back(device);
    }
  }

  ProfileIndex index_;
  std::vector<DeviceTimeline> timelines_;
  std::optional<CutIndex> cut_;
  std::optional<FilterIndex> filtered_;  // of the filters that were asked for last
};

}  // namespace
}  // namespace cpu

std::unique_ptr<Aggregator> make_cpu_aggregator(std::shared_ptr<const profile::Profile> profile) {
  return std::make_unique<cpu::CpuAggregator>(std::move(profile));
}

}  // namespace dlview::aggregate
