// The CPU engine. Three layers of work, each done as rarely as it can be: per profile (instance
// times, device timelines, kernel pairs), per cut (iterations and their breakdown), per range (sums
// over rows). Filters put a layer of their own beside the first two, of the rows that they keep;
// the unfiltered one stays, so that taking filters away costs nothing.

#include <memory>
#include <optional>
#include <utility>

#include "aggregate/aggregator.h"
#include "aggregate/cpu/cut_index.h"
#include "aggregate/cpu/iteration_sums.h"
#include "aggregate/cpu/row_sums.h"
#include "aggregate/engine/summaries.h"

namespace dlview::aggregate {
namespace cpu {
namespace {

using profile::Profile;

// What one set of filters keeps; the memory stays for the next one.
struct FilterIndex {
  FilterIndex(const Profile& profile, const ProfileIndex& index) : kept(profile, index) {}

  std::vector<Filter> filters;  // empty = none were asked for yet
  Kept kept;
  std::optional<RowSums> row_sums;
  std::optional<CutIndex> cut;
  std::optional<IterationSums> iteration_sums;  // under that cut
};

class CpuAggregator : public Aggregator {
 public:
  CpuAggregator(std::shared_ptr<const Profile> shared, const CpuOptions& options)
      : Aggregator(std::move(shared)),
        options_(options),
        index_(profile()),
        timelines_(device_timelines(profile(), index_)),
        row_sums_(std::make_shared<RowSums>(profile(), index_, options.block_rows)),
        filtered_(profile(), index_) {}

  std::shared_ptr<const IterationTable> iteration_table(const Cut& cut) override {
    return cut_index(cut).table;
  }
  std::string_view name() const override { return "cpu"; }

 private:
  Aggregation compute(const Selection& selection) override {
    const CutIndex& whole = cut_index(selection.cut);
    if (selection.filters.empty()) {
      if (!iteration_sums_) iteration_sums_.emplace(make_iteration_sums(whole, nullptr));
      return compute(selection, whole, *row_sums_, *iteration_sums_);
    }
    FilterIndex& part = filter_index(selection.filters);
    if (!part.cut || part.cut->cut != selection.cut) {
      part.cut.emplace(timelines_, part.kept, whole);
      part.iteration_sums.emplace(make_iteration_sums(*part.cut, &part.kept));
    }
    return compute(selection, *part.cut, *part.row_sums, *part.iteration_sums);
  }

  IterationSums make_iteration_sums(const CutIndex& cut, const Kept* kept) const {
    return IterationSums(profile(), index_, cut.table->iterations, kept, options_.block_rows);
  }

  Aggregation compute(const Selection& selection, const CutIndex& cut, RowSums& row_sums,
                      IterationSums& iteration_sums) const {
    Aggregation result;
    result.selection = selection;
    result.iteration_table = cut.table;
    result.group_tree = index_.groups;
    add_times(cut, result);
    const auto& iterations = cut.table->iterations.rows;
    const auto& [first, last] = selection.range;
    const RowCells rows =
        row_sums.between(iterations[static_cast<std::size_t>(first)].first_instance,
                         iterations[static_cast<std::size_t>(last)].last_instance);
    const Cells groups = iteration_sums.over(selection.range);
    summarise(profile(), index_,
              {row_sums.op_layout(), row_sums.event_layout(), iteration_sums.layout(), rows.ops,
               rows.events, groups},
              result);
    add_stored_io(profile(), result);
    return result;
  }

  FilterIndex& filter_index(const std::vector<Filter>& filters) {
    if (filtered_.filters != filters) {
      filtered_.cut.reset();
      filtered_.kept.look_up(RowFilter(profile(), filters));
      filtered_.row_sums.emplace(profile(), index_, filtered_.kept, row_sums_, options_.block_rows);
      filtered_.filters = filters;
    }
    return filtered_;
  }

  const CutIndex& cut_index(const Cut& cut) {
    if (!cut_ || cut_->cut != cut) {
      iteration_sums_.reset();
      cut_.emplace(profile(), index_, timelines_, cut);
    }
    return *cut_;
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
      device.communication = cut.device_communication(d, range);
      result.breakdown += device.breakdown;
      result.communication += device.communication;
      result.devices.push_back(device);
    }
  }

  CpuOptions options_;
  ProfileIndex index_;
  std::vector<DeviceTimeline> timelines_;
  std::shared_ptr<RowSums> row_sums_;
  std::optional<CutIndex> cut_;
  std::optional<IterationSums> iteration_sums_;  // under that cut; built when it is aggregated
  FilterIndex filtered_;
};

}  // namespace
}  // namespace cpu

std::unique_ptr<Aggregator> make_cpu_aggregator(std::shared_ptr<const profile::Profile> profile,
                                                const CpuOptions& options) {
  return std::make_unique<cpu::CpuAggregator>(std::move(profile), options);
}

}  // namespace dlview::aggregate
