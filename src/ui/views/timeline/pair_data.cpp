#include "ui/views/timeline/pair_data.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace dlview::ui {
namespace {

// So many op instances and kernels are looked at within a frame's time.
constexpr int64_t kAtOnce = 20'000;

int64_t work_of(const profile::Profile& profile, const aggregate::Iteration& iteration) {
  const auto& first_kernel = profile.instances.first_kernel;
  return static_cast<int64_t>(iteration.last_instance) - iteration.first_instance +
         first_kernel[iteration.last_instance] - first_kernel[iteration.first_instance];
}

}  // namespace

bool PairData::update(const Model& model, const std::shared_ptr<const timeline::Lanes>& lanes,
                      Background& background) {
  if (ranked_ != model.aggregation) {
    ranked_ = model.aggregation;
    slowest_ =
        aggregate::slowest_iteration(*ranked_->whole().iteration_table, ranked_->selection.range);
  }
  const auto compared = compared_iterations(model, slowest_);
  if (!compared) {
    compared_.reset();
    return false;
  }
  const Table& table = ranked_->whole().iteration_table;
  const bool is_other = !compared_ || lanes_ != lanes || table_ != table ||
                        compared_->iteration != compared->iteration ||
                        compared_->baseline != compared->baseline;
  compared_ = compared;
  lanes_ = lanes;
  table_ = table;
  if (is_other) make(model);
  facts_.want(
      {lanes_, table_, compared_->iteration, compared_->baseline}, is_small(), background,
      [profile = model.profile, aggregation = ranked_->unfiltered ? ranked_->unfiltered : ranked_,
       lanes = lanes_, table = table_, pair = *compared_](const base::Progress&) {
        const auto& rows = table->iterations.rows;
        return std::make_shared<const PairFacts>(
            profile, aggregation,
            std::make_shared<const aggregate::IterationComparison>(
                aggregate::compare_iterations(*profile, *table, pair.iteration, pair.baseline)),
            timeline::EventPairs(lanes, rows[static_cast<std::size_t>(pair.iteration)],
                                 rows[static_cast<std::size_t>(pair.baseline)]));
      });
  return true;
}

void PairData::make(const Model& model) {
  std::vector<base::Interval> times;
  for (std::size_t side = 0; side < 2; ++side) {
    const auto& row = table_->iterations.rows[static_cast<std::size_t>(iteration(side))];
    events_[side] = timeline::IterationEvents(*model.profile, row);
    times.push_back(events_[side].time());
  }
  lines_ = std::make_shared<const timeline::LineCounts>(count_lines(*lanes_, times));
}

bool PairData::is_small() const {
  const profile::Profile& profile = lanes_->events.profile();
  return work_of(profile, events_[0].iteration()) + work_of(profile, events_[1].iteration()) <=
         kAtOnce;
}

int64_t PairData::length_ns() const {
  int64_t length_ns = 1;
  for (const timeline::IterationEvents& events : events_) {
    length_ns = std::max(length_ns, events.time().stop_ns - events.time().start_ns);
  }
  return length_ns;
}

std::optional<timeline::Place> PairData::partner(const timeline::Place& place,
                                                 std::size_t side) const {
  if (is_late() || !facts() || !events_[side].contains(lanes_->events, event_at(*lanes_, place))) {
    return std::nullopt;
  }
  return facts()->pairs.partner(place, side);
}

const timeline::SubjectEvents* PairData::lit(const std::optional<timeline::Subject>& subject,
                                             Background& background) {
  if (!subject) {
    lit_.drop();
    return nullptr;
  }
  const FactsKey key{lanes_, table_, compared_->iteration, compared_->baseline};
  lit_.want({key, subject->kind, subject->id}, is_small(), background,
            [lanes = lanes_, events = std::vector(events_.begin(), events_.end()),
             subject = *subject](const base::Progress& progress) {
              return std::make_shared<const timeline::SubjectEvents>(*lanes, events, subject,
                                                                     progress);
            });
  return lit_.is_late() ? nullptr : lit_.get().get();
}

}  // namespace dlview::ui
