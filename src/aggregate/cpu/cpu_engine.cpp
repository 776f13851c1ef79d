// The CPU engine. Blocks of rows are added up once and combined for any range; filters mask whole
// cells and look at single rows only where they must; what they keep has sums of its own beside
// those of all rows, so that taking filters away costs nothing.

#include "aggregate/cpu/cpu_engine.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "aggregate/aggregator.h"
#include "aggregate/cpu/device_timeline.h"
#include "aggregate/cpu/iteration_sums.h"
#include "aggregate/cpu/kept.h"
#include "aggregate/cpu/kept_timeline.h"
#include "aggregate/cpu/packed_instances.h"
#include "aggregate/cpu/row_sums.h"
#include "base/parallel.h"

namespace dlview::aggregate {
namespace cpu {
namespace {

using profile::DeviceIndex;
using profile::Profile;
using profile::Row;

class CpuEngine : public Engine {
 public:
  CpuEngine(const Profile& profile, std::shared_ptr<const ProfileIndex> index,
            const CpuOptions& options)
      : profile_(profile),
        index_(std::move(index)),
        options_(options),
        packed_(profile, *index_),
        row_sums_(std::make_shared<RowSums>(profile, *index_, packed_, options)),
        kept_(profile, *index_, packed_, instances_of_a_block(profile, options)) {
    for (const TimeOrder& order : time_orders(profile, *index_)) {
      timelines_.emplace_back(order);
    }
    for (const DeviceTimeline& timeline : timelines_) {
      kept_timeline_makers_.emplace_back(timeline.events(), options_);
    }
  }

  std::string_view name() const override { return "cpu"; }

  bool prepare_filters() override {
    const auto next =
        std::ranges::find_if_not(kept_timeline_makers_, &KeptTimeline::Maker::is_done);
    if (next == kept_timeline_makers_.end()) return false;
    next->work(kPreparedAtOnce);
    return true;
  }
  void set_filter(const RowFilter& filter) override {
    last_ops_.reset();
    kept_iteration_sums_.reset();
    kept_row_sums_.reset();
    make_kept_timelines();
    kept_.look_up(filter);
    kept_row_sums_.emplace(profile_, *index_, kept_, row_sums_);
  }
  void set_iterations(const Iterations& iterations) override {
    iterations_ = &iterations;
    kept_iteration_sums_.reset();
    iteration_sums_.reset();
  }

  RowCells rows(Part part, Row first, Row end) override {
    RowCells cells =
        part == Part::all ? row_sums_->between(first, end) : kept_row_sums_->between(first, end);
    last_ops_.reset();
    if (!iteration_sums_ || iteration_sums_->needs_ops()) last_ops_ = {part, first, end, cells.ops};
    return cells;
  }
  Cells groups(Part part, const IterationRange& range) override {
    if (!iteration_sums_) {
      iteration_sums_.emplace(profile_, *index_, packed_, *iterations_, options_);
    }
    const Cells none(0, 0);
    const Cells& ops = iteration_sums_->needs_ops() ? ops_of(part, range) : none;
    if (part == Part::all) return iteration_sums_->over(range, ops);
    if (!kept_iteration_sums_) {
      kept_iteration_sums_.emplace(profile_, *index_, packed_, *iterations_, kept_,
                                   *iteration_sums_, options_);
    }
    return kept_iteration_sums_->over(range, ops);
  }
  std::vector<KernelTotals> kernel_totals(Part part) override {
    std::vector<KernelTotals> totals(iterations_->rows.size());
    base::parallel_for(totals.size(), 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Iteration& iteration = iterations_->rows[i];
        totals[i] = part == Part::all
                        ? index_->kernels_between(iteration.first_instance, iteration.last_instance)
                        : kept_.kernels_between(iteration.first_instance, iteration.last_instance);
      }
    });
    return totals;
  }
  std::vector<Coverage> covered_before(Part part, DeviceIndex device,
                                       std::span<const int64_t> times_ns) override {
    return part == Part::all ? timelines_[device].covered_before(times_ns)
                             : kept_timelines_[device].covered_before(times_ns, kept_);
  }

 private:
  // Events; some ms.
  static constexpr std::size_t kPreparedAtOnce = 250'000;

  struct OpsAnswer {
    Part part;
    Row first, end;
    Cells ops;
  };

  // Mostly those of the rows that were asked for last.
  const Cells& ops_of(Part part, const IterationRange& range) {
    const Row first = iterations_->rows[static_cast<std::size_t>(range.first)].first_instance;
    const Row end = iterations_->rows[static_cast<std::size_t>(range.last)].last_instance;
    const bool known =
        last_ops_ && last_ops_->part == part && last_ops_->first == first && last_ops_->end == end;
    if (!known) rows(part, first, end);
    return last_ops_->ops;
  }

  // What is left of it, on all cores.
  void make_kept_timelines() {
    base::parallel_for(kept_timeline_makers_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t device = begin; device < end; ++device) {
        while (!kept_timeline_makers_[device].work(timelines_[device].events().cell.size())) {
        }
      }
    });
    kept_timelines_.reserve(timelines_.size());
    for (KeptTimeline::Maker& maker : kept_timeline_makers_) {
      kept_timelines_.push_back(maker.take());
    }
    kept_timeline_makers_.clear();
  }

  const Profile& profile_;
  std::shared_ptr<const ProfileIndex> index_;
  CpuOptions options_;
  std::vector<DeviceTimeline> timelines_;
  // One for each device, until the first filter is set; then what they made.
  std::vector<KeptTimeline::Maker> kept_timeline_makers_;
  std::vector<KeptTimeline> kept_timelines_;
  PackedInstances packed_;
  std::shared_ptr<RowSums> row_sums_;
  Kept kept_;
  std::optional<RowSums> kept_row_sums_;
  std::optional<OpsAnswer> last_ops_;
  const Iterations* iterations_ = nullptr;
  std::optional<IterationSums> iteration_sums_, kept_iteration_sums_;
};

}  // namespace
}  // namespace cpu

MakeEngine cpu_engine(const CpuOptions& options) {
  return [options](const profile::Profile& profile, std::shared_ptr<const ProfileIndex> index) {
    return std::make_unique<cpu::CpuEngine>(profile, std::move(index), options);
  };
}

std::unique_ptr<Aggregator> make_cpu_aggregator(std::shared_ptr<const profile::Profile> profile) {
  return make_engine_aggregator(std::move(profile), {cpu_engine()});
}

}  // namespace dlview::aggregate
