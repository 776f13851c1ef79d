#include "aggregate/engine/engine_aggregator.h"

#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "aggregate/engine/cut_index.h"
#include "aggregate/engine/summaries.h"
#include "base/exceptions.h"

namespace dlview::aggregate {
namespace {

using profile::Profile;

class EngineAggregator : public Aggregator {
 public:
  EngineAggregator(std::shared_ptr<const Profile> shared, std::vector<MakeEngine> engines,
                   std::string reason)
      : Aggregator(std::move(shared)),
        index_(std::make_shared<const ProfileIndex>(profile())),
        op_layout_(profile()),
        event_layout_(*index_),
        group_layout_(*index_->groups),
        engines_(std::move(engines)),
        reason_(std::move(reason)) {
    with_engine([] { return 0; });
  }

  std::shared_ptr<const IterationTable> iteration_table(const Cut& cut) override {
    return with_engine([&] { return cut_index(cut).table(); });
  }
  bool prepare_filters() override { return engine_ && engine_->prepare_filters(); }
  std::string_view name() const override { return engine_->name(); }
  std::string notice() const override { return notice_; }
  std::string reason() const override {
    std::string reason = engine_->reason();
    return reason.empty() ? reason_ : reason;
  }

 private:
  Aggregation compute(const Selection& selection) override {
    return with_engine([&] { return aggregate_rows(selection); });
  }

  // What `ask` returns; when the engine fails, of the next one. The last one's failure is thrown.
  template <typename Ask>
  std::invoke_result_t<Ask> with_engine(const Ask& ask) {
    for (;;) {
      try {
        if (!engine_) engine_ = engines_[present_](profile(), index_);
        return ask();
      } catch (const std::exception&) {
        if (present_ + 1 == engines_.size()) throw;
        notice_ = base::error_of_current_exception().detail;
        ++present_;
        kept_.reset();
        cut_.reset();
        filters_.clear();
        engine_.reset();
      }
    }
  }

  Aggregation aggregate_rows(const Selection& selection) {
    const CutIndex& whole = cut_index(selection.cut);
    if (selection.filters.empty()) return compute(selection, whole, Part::all);
    if (filters_ != selection.filters) {
      kept_.reset();
      filters_.clear();  // an engine that fails has none
      engine_->set_filter(RowFilter(profile(), selection.filters));
      filters_ = selection.filters;
    }
    if (!kept_) kept_.emplace(profile(), whole, selection.filters, *engine_);
    return compute(selection, *kept_, Part::kept);
  }

  Aggregation compute(const Selection& selection, const CutIndex& cut, Part part) {
    Aggregation result;
    result.selection = selection;
    result.iteration_table = cut.table();
    result.group_tree = index_->groups;
    add_times(cut, result);
    const auto& iterations = cut.table()->iterations.rows;
    const auto& [first, last] = selection.range;
    const RowCells rows =
        engine_->rows(part, iterations[static_cast<std::size_t>(first)].first_instance,
                      iterations[static_cast<std::size_t>(last)].last_instance);
    const Cells groups = engine_->groups(part, selection.range);
    summarize(profile(), *index_,
              {op_layout_, event_layout_, group_layout_, rows.ops, rows.events, groups}, result);
    add_stored_io(profile(), result);
    return result;
  }

  const CutIndex& cut_index(const Cut& cut) {
    if (!cut_ || cut_->cut() != cut) {
      kept_.reset();
      cut_.emplace(profile(), *index_, cut, *engine_, boundary_kernels_);
    }
    return *cut_;
  }

  // Range and wall time, and what each device did meanwhile.
  void add_times(const CutIndex& cut, Aggregation& result) const {
    const auto& rows = cut.table()->iterations.rows;
    const IterationRange& range = result.selection.range;
    const auto first = static_cast<std::size_t>(range.first);
    const auto last = static_cast<std::size_t>(range.last);
    result.wall_ns = rows[last].stop_ns - rows[first].start_ns;
    for (std::size_t i = first; i <= last; ++i) result.range_ns += rows[i].duration_ns();
    for (profile::DeviceIndex d{0}; d < profile().devices.size(); ++d) {
      DeviceAggregate device;
      device.device = d;
      device.breakdown = cut.device_breakdown(d, range);
      device.kernel_union_ns = device.breakdown[Category::tensor_core_kernels] +
                               device.breakdown[Category::other_kernels];
      device.communication = cut.device_communication(d, range);
      if (cut.counts_device(d)) {
        result.breakdown += device.breakdown;
        result.communication += device.communication;
      }
      result.devices.push_back(device);
    }
  }

  std::shared_ptr<const ProfileIndex> index_;
  OpLayout op_layout_;
  EventLayout event_layout_;
  GroupLayout group_layout_;
  std::vector<MakeEngine> engines_;
  std::size_t present_ = 0;  // of engines_
  std::unique_ptr<Engine> engine_;
  std::string notice_, reason_;
  std::optional<BoundaryKernels> boundary_kernels_;  // of the last split by the GPU
  std::optional<CutIndex> cut_;
  std::vector<Filter> filters_;   // that are set in the engine
  std::optional<CutIndex> kept_;  // under the same cut, of what these keep
};

}  // namespace

std::unique_ptr<Aggregator> make_engine_aggregator(std::shared_ptr<const profile::Profile> profile,
                                                   std::vector<MakeEngine> engines,
                                                   std::string reason) {
  return std::make_unique<EngineAggregator>(std::move(profile), std::move(engines),
                                            std::move(reason));
}

}  // namespace dlview::aggregate
