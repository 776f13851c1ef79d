#include "ui/views/timeline/pair_data.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace dlview::ui {
namespace {

// So many rows are looked at within a frame's time.
constexpr std::size_t kRowsAtOnce = 50'000;

// Of all tables.
std::size_t rows_of(const profile::OpInstances& instances, const aggregate::Iteration& iteration) {
  std::size_t rows = iteration.last_instance - iteration.first_instance;
  for (const profile::Column<profile::Row>* first :
       {&instances.first_kernel, &instances.first_memory_op, &instances.first_sync,
        &instances.first_api_call}) {
    rows += (*first)[iteration.last_instance] - (*first)[iteration.first_instance];
  }
  return rows;
}

std::shared_ptr<const PairEvents> find_events(
    const std::shared_ptr<const timeline::Lanes>& lanes,
    const std::shared_ptr<const aggregate::IterationTable>& table,
    const ComparedIterations& compared) {
  PairEvents made{lanes, table, compared, {}, nullptr};
  std::vector<base::Interval> times;
  for (std::size_t side = 0; side < 2; ++side) {
    const int64_t number = side == 0 ? compared.iteration : compared.baseline;
    made.of[side] = timeline::IterationEvents(
        lanes->events.profile(), table->iterations.rows[static_cast<std::size_t>(number)]);
    times.push_back(made.of[side].time());
  }
  made.lines = std::make_shared<const timeline::LineCounts>(count_lines(*lanes, times));
  return std::make_shared<const PairEvents>(std::move(made));
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
    events_.drop();
    shown_.reset();
    return false;
  }
  const Table& table = ranked_->whole().iteration_table;
  const Key key{lanes, table, compared->iteration, compared->baseline};
  const auto& instances = lanes->events.profile().instances;
  const auto row = [&](int64_t number) {
    return table->iterations.rows[static_cast<std::size_t>(number)];
  };
  is_small_ =
      rows_of(instances, row(compared->iteration)) + rows_of(instances, row(compared->baseline)) <=
      kRowsAtOnce;
  events_.want(key, is_small_, background, [lanes, table, pair = *compared](const base::Progress&) {
    return find_events(lanes, table, pair);
  });
  want_facts(model, key, background);
  shown_ = events_.get();
  if (shown_ && (shown_->lanes != lanes || shown_->table != table)) shown_.reset();
  if (shown_) compared_ = events_.is_late() ? shown_->compared : *compared;
  return shown_ != nullptr;
}

void PairData::want_facts(const Model& model, const Key& key, Background& background) {
  facts_.want(
      key, is_small_, background,
      [profile = model.profile, key,
       aggregation = ranked_->unfiltered ? ranked_->unfiltered : ranked_](const base::Progress&) {
        const auto& [lanes, table, one, other] = key;
        const auto& rows = table->iterations.rows;
        return std::make_shared<const PairFacts>(
            PairFacts{profile, aggregation,
                      std::make_shared<const aggregate::IterationComparison>(
                          aggregate::compare_iterations(*profile, *table, one, other)),
                      timeline::EventPairs(lanes, rows[static_cast<std::size_t>(one)],
                                           rows[static_cast<std::size_t>(other)])});
      });
}

PairData::Key PairData::key() const {
  return {shown_->lanes, shown_->table, compared_.iteration, compared_.baseline};
}

int64_t PairData::length_ns() const {
  int64_t length_ns = 1;
  for (const timeline::IterationEvents& events : shown_->of) {
    length_ns = std::max(length_ns, events.time().stop_ns - events.time().start_ns);
  }
  return length_ns;
}

std::optional<timeline::Place> PairData::partner(Whose whose, const timeline::Place& place,
                                                 std::size_t side, Background& background) {
  const timeline::Lanes& lanes = *shown_->lanes;
  auto& kept = partners_[static_cast<std::size_t>(whose)];
  if (!events(side).contains(lanes.events, event_at(lanes, place))) {
    kept.drop();
    return std::nullopt;
  }
  if (is_late() || !facts()) return std::nullopt;
  kept.want({facts(), place, side}, facts()->pairs.looks_for_partner(place, side) <= kRowsAtOnce,
            background, [facts = facts(), place, side](const base::Progress&) {
              return std::make_shared<const Partner>(facts->pairs.partner(place, side));
            });
  return kept.is_late() || !kept.get() ? std::nullopt : *kept.get();
}

const timeline::SubjectEvents* PairData::lit(const std::optional<timeline::Subject>& subject,
                                             Background& background) {
  if (!subject) {
    lit_.drop();
    return nullptr;
  }
  lit_.want({key(), subject->kind, subject->id}, is_small_ && !events_.is_late(), background,
            [shown = shown_, subject = *subject](const base::Progress& progress) {
              return std::make_shared<const timeline::SubjectEvents>(
                  *shown->lanes, std::vector(shown->of.begin(), shown->of.end()), subject,
                  progress);
            });
  return lit_.is_late() ? nullptr : lit_.get().get();
}

}  // namespace dlview::ui
