#include "ui/views/timeline/differences.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "aggregate/filter.h"
#include "base/units.h"
#include "ui/views/iterations/comparison.h"

namespace dlview::ui {
namespace {

using report::ColumnId;
using timeline::Subject;

// So many rows are looked at within a frame's time.
constexpr std::size_t kRowsAtOnce = 50'000;

// Of all tables.
std::size_t rows_of(const profile::OpInstances& instances, const aggregate::Iteration& iteration) {
  std::size_t rows = iteration.last_instance - iteration.first_instance;
  const auto add = [&](const profile::Column<profile::Row>& first) {
    rows += first[iteration.last_instance] - first[iteration.first_instance];
  };
  add(instances.first_kernel);
  add(instances.first_memory_op);
  add(instances.first_sync);
  add(instances.first_api_call);
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

constexpr const char* kPrompt = "Comparing the iterations…";
constexpr const char* kOpNote =
    "summed over calls and GPUs (GPU idle: mean) · select a row to highlight it";
constexpr const char* kKernelNote = "summed over calls and GPUs · select a row to highlight it";

// Titled as the table has it, which names the iterations.
ColumnLook column(ColumnId id) {
  ColumnLook look = column_look(id);
  look.title.clear();
  return look;
}

ColumnLook name_column(ColumnId id, CutAt cut, aggregate::FilterKind kind, ColumnId value) {
  ColumnLook look = column(id);
  look.code = true;
  look.cut = cut;
  look.filter = [kind, value](const report::Table& table, std::size_t row) {
    const std::string text = report::to_text(table.cell(row, find_column(table, value)));
    if (kind == aggregate::FilterKind::op && text == report::kIdleId) {
      return std::optional<aggregate::Filter>();
    }
    const auto filter = aggregate::parse_filter(aggregate::to_text(kind), text);
    return filter ? std::optional(*filter) : std::nullopt;
  };
  return look;
}

// The times of all rows, which share a unit and decimals.
using SharedTimes = std::shared_ptr<const base::ComparedTable>;

ColumnLook time_column(ColumnId id, std::string base::ComparedDurations::*shown,
                       const SharedTimes& times) {
  ColumnLook look = column(id);
  look.few_digits = [shown, times](const report::Table& table, std::size_t row) {
    const auto ns = [&](ColumnId of_column) {
      const report::Cell cell = cell_in(table, row, of_column);
      return std::get<int64_t>(cell);
    };
    return times->format(ns("ns"), ns("against_ns")).*shown;
  };
  return look;
}

ColumnLook difference_column(aggregate::MetricId metric, const SharedTimes& times) {
  ColumnLook look = time_column("difference_ns", &base::ComparedDurations::difference, times);
  look.metric = metric;
  look.is_difference = true;
  return look;
}

TableLook op_look(const SharedTimes& times) {
  return {.id = "differing_ops",
          .title = "Differences by op",
          .noun = "differing ops",
          .key = "op_id",
          .op = "op_id",
          .when_none = "No op differs between the two iterations.",
          .columns = {name_column("op_name", CutAt::front, aggregate::FilterKind::op, "op_id"),
                      column("op_type"), column("time"),
                      time_column("ns", &base::ComparedDurations::value, times),
                      time_column("against_ns", &base::ComparedDurations::baseline, times),
                      difference_column("op_difference", times), column("differences.calls"),
                      column("against_calls"), column("only_in")},
          .prompt = kPrompt,
          .note = kOpNote};
}

TableLook kernel_look(const SharedTimes& times) {
  return {.id = "differing_kernels",
          .title = "Differences by kernel",
          .noun = "differing kernels",
          .key = "differences.kernel_name",
          .when_none = "No kernel differs between the two iterations.",
          .columns = {name_column("differences.kernel_name", CutAt::middle,
                                  aggregate::FilterKind::kernel, "differences.kernel_name"),
                      time_column("ns", &base::ComparedDurations::value, times),
                      time_column("against_ns", &base::ComparedDurations::baseline, times),
                      difference_column("kernel_difference", times), column("launches"),
                      column("against_launches"), column("only_in")},
          .prompt = kPrompt,
          .note = kKernelNote};
}

base::ComparedTable times_of(const aggregate::IterationComparison& comparison, DifferencesOf kind) {
  base::ComparedTable times;
  const auto add = [&times](const auto& rows) {
    for (const auto& row : rows) times.add(row.ns, row.baseline_ns);
  };
  kind == DifferencesOf::op ? add(comparison.ops) : add(comparison.kernels);
  return times;
}

TableData data_of(const PairFacts& facts, DifferencesOf kind) {
  const auto make = kind == DifferencesOf::op ? op_differences : kernel_differences;
  TableData data = make(facts.profile, facts.aggregation, facts.comparison);
  if (facts.comparison->iteration == facts.comparison->baseline) {
    data.when_none = "Both are the same iteration. Choose another one above.";
  }
  return data;
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

bool DifferencesPanel::draw(Frame& frame, const Box& box,
                            const std::shared_ptr<const PairFacts>& facts, Tables& tables) {
  if (facts_ != facts) {
    facts_ = facts;
    for (Listed& listed : listed_) listed.data.reset();
  }
  Listed& listed = this->listed();
  if (facts && !listed.data) {
    listed.data = std::make_shared<const TableData>(data_of(*facts, kind_));
    *listed.times = times_of(*facts->comparison, kind_);
  }
  if (!listed.table) {
    listed.table.emplace(kind_ == DifferencesOf::op ? op_look(listed.times)
                                                    : kernel_look(listed.times));
  }
  tables.focused = listed.table->model().look().id;
  listed.table->draw(frame, box, listed.data, tables);
  // Enter is for the next table, of which there is none here.
  if (tables.command == TableCommand::next) tables.command.reset();
  const std::string& selected = listed.table->model().selected();
  // Of a row that is not in order yet nothing is known.
  if (listed.shown == selected || (!selected.empty() && !selected_row())) return false;
  listed.shown = selected;
  return true;
}

void DifferencesPanel::list(DifferencesOf kind) {
  kind_ = kind;
  listed().shown.clear();
}

std::optional<std::size_t> DifferencesPanel::selected_row() const {
  const Listed& listed = listed_[static_cast<std::size_t>(kind_)];
  if (!facts_ || !listed.table || !listed.data) return std::nullopt;
  // The table may still show the rows of the pair before.
  const std::shared_ptr<const ShownRows>& rows = listed.table->model().rows();
  if (!rows || rows->data != listed.data) return std::nullopt;
  return listed.table->model().selected_row();
}

bool DifferencesPanel::is_of_cpu() const {
  const auto row = selected_row();
  return row && kind_ == DifferencesOf::op && !facts_->comparison->ops[*row].on_gpu;
}

std::optional<Subject> DifferencesPanel::subject() const {
  const auto row = selected_row();
  if (!row) return std::nullopt;
  const aggregate::IterationComparison& comparison = *facts_->comparison;
  if (kind_ == DifferencesOf::op) {
    const aggregate::OpDifference& op = comparison.ops[*row];
    return op.is_idle() ? std::nullopt : std::optional(Subject{kind_, op.op});
  }
  return Subject{kind_, comparison.kernels[*row].name};
}

void DifferencesPanel::select(const Subject& subject) {
  kind_ = subject.kind;
  Listed& listed = this->listed();
  if (!facts_ || !listed.table) return;
  const profile::Profile& profile = *facts_->profile;
  listed.shown = profile.text(kind_ == DifferencesOf::op ? profile.ops.id[subject.id] : subject.id);
  listed.table->model().select(listed.shown);
  listed.table->reveal_selected();
}

void DifferencesPanel::deselect() {
  for (Listed& listed : listed_) {
    listed.shown.clear();
    if (listed.table) listed.table->model().select("");
  }
}

}  // namespace dlview::ui
