// The CPU engine. Blocks of rows are added up once and combined for any range; filters mask whole
// cells and look at single rows only where they must; what they keep has sums of its own beside
// those of all rows, so that taking filters away costs nothing.

#include "aggregate/cpu/cpu_engine.h"

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "aggregate/aggregator.h"
#include "aggregate/cpu/cpu_engine.h"
#include "aggregate/cpu/device_timeline.h"
#include "aggregate/cpu/iteration_sums.h"
#include "aggregate/cpu/kept.h"
#include "aggregate/cpu/row_sums.h"
#include "base/parallel.h"

namespace dlview::aggregate {
namespace cpu {
namespace {

using profile::Profile;
using profile::Row;

class CpuEngine : public Engine {
 public:
  CpuEngine(const Profile& profile, std::shared_ptr<const ProfileIndex> index,
            const CpuOptions& options)
      : profile_(profile),
        index_(std::move(index)),
        block_rows_(options.block_rows),
        row_sums_(std::make_shared<RowSums>(profile, *index_, block_rows_)),
        kept_(profile, *index_) {
    for (TimeOrder& order : time_orders(profile, *index_))
      timelines_.emplace_back(std::move(order));
  }

  std::string_view name() const override { return "cpu"; }

  void set_filter(const RowFilter& filter) override {
    kept_.look_up(filter);
    kept_row_sums_.emplace(profile_, *index_, kept_, row_sums_, block_rows_);
    iteration_sums(Part::kept).reset();
  }
  void set_iterations(const Iterations& iterations) override {
    iterations_ = &iterations;
    for (auto& sums : iteration_sums_) sums.reset();
  }

  RowCells rows(Part part, Row first, Row end) override {
    return part == Part::all ? row_sums_->between(first, end) : kept_row_sums_->between(first, end);
  }
  Cells groups(Part part, const IterationRange& range) override {
    auto& sums = iteration_sums(part);
    if (!sums) sums.emplace(profile_, *index_, *iterations_, kept_of(part), block_rows_);
    return sums->over(range);
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
  std::vector<Coverage> covered_before(Part part, Row device,
                                       std::span<const int64_t> times_ns) override {
    return part == Part::all ? timelines_[device].covered_before(times_ns)
                             : timelines_[device].covered_before(times_ns, kept_);
  }

 private:
  std::optional<IterationSums>& iteration_sums(Part part) {
    return iteration_sums_[static_cast<std::size_t>(part)];
  }
  const Kept* kept_of(Part part) const { return part == Part::all ? nullptr : &kept_; }

  const Profile& profile_;
  std::shared_ptr<const ProfileIndex> index_;
  int64_t block_rows_;
  std::vector<DeviceTimeline> timelines_;
  std::shared_ptr<RowSums> row_sums_;
  Kept kept_;
  std::optional<RowSums> kept_row_sums_;
  const Iterations* iterations_ = nullptr;
  std::array<std::optional<IterationSums>, 2> iteration_sums_;  // by Part
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
