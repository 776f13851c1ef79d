#include "report/trend/trend_measure.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

#include "aggregate/aggregator.h"
#include "aggregate/comparison/comparability.h"
#include "aggregate/comparison/judgment.h"
#include "aggregate/comparison/statistics.h"
#include "aggregate/iterations.h"
#include "aggregate/rules/rule_index.h"
#include "aggregate/steady.h"
#include "base/nearest_text.h"
#include "report/budget/judge.h"
#include "report/capture.h"

namespace dlview::report {
namespace {

using aggregate::ComparedRun;
using aggregate::IterationRange;
using aggregate::PartKey;
using aggregate::TrendValue;
using budget::Statistic;
using profile::OpIndex;

// Above, metrics that cost a range change for each iteration have one value for the range.
constexpr int64_t kMostRangeChanges = 500;
constexpr std::size_t kNoLine = SIZE_MAX;

TrendValue with_interval(int64_t value, const std::vector<int64_t>& samples, double per_unit) {
  TrendValue measured{static_cast<double>(value) / per_unit};
  const aggregate::BlockResampler resampler(samples.size());
  if (const auto interval = aggregate::median_interval(samples, resampler)) {
    measured.low = static_cast<double>(interval->low) / per_unit;
    measured.high = static_cast<double>(interval->high) / per_unit;
  }
  return measured;
}

double per_unit_of(const budget::BudgetMetric& metric) {
  return metric.unit() == aggregate::Unit::percent ? static_cast<double>(budget::kPercent) : 1;
}

std::optional<TrendValue> measure(const TrendSpec& spec, budget::Meter& meter) {
  const budget::BudgetMetric& metric = *spec.metric;
  const bool is_slow = metric.is_per_iteration && !metric.is_in_table() &&
                       meter.selection().range.size() > kMostRangeChanges;
  const bool grows = metric.unit() != aggregate::Unit::percent;
  if (is_slow && grows) return std::nullopt;
  const budget::Measurement measured =
      meter.measure(metric, is_slow ? Statistic::range : spec.of, spec.only);
  if (!measured.is_known()) return std::nullopt;
  if (spec.of == Statistic::median && !measured.samples.empty()) {
    return with_interval(measured.value, measured.samples, per_unit_of(metric));
  }
  return TrendValue{budget::number_of(measured.value, metric.unit())};
}

// Where an op has its time: on the GPU, or on the host in a run without GPU activity.
bool counts_for_ops(aggregate::StackPart part, bool has_gpu) {
  return aggregate::is_gpu_part(part) == has_gpu && part != aggregate::StackPart::other;
}

// What the capture cannot be compared with the one before for; empty = nothing.
std::string break_reason_of(const aggregate::RunPair& runs, const aggregate::RangePair& ranges) {
  const aggregate::ComparabilityReport report =
      aggregate::check_comparability(runs, ranges, runs.waterfall(ranges));
  for (const aggregate::Reason& reason : report.reasons) {
    const bool is_other_machine = reason.id == "gpu" || reason.id == "marker";
    if (reason.level == aggregate::Comparability::not_comparable || is_other_machine) {
      return reason.text;
    }
  }
  return "";
}

}  // namespace

std::string TrendSpec::title() const {
  if (!name.empty()) return name;
  const std::string_view of_metric = aggregate::metric(metric->id).title;
  return of == Statistic::range || of == Statistic::median
             ? std::string(of_metric)
             : fmt::format("{}, {}", of_metric, to_text(of));
}

std::vector<TrendSpec> default_trend_specs() {
  constexpr std::array kIds{"iteration_duration",      "breakdown_tensor_core_kernels",
                            "breakdown_other_kernels", "breakdown_memory",
                            "breakdown_data_loader",   "breakdown_io",
                            "breakdown_cpu",           "breakdown_other",
                            "communication_exposed",   "gpu_utilization",
                            "tensor_core_efficiency",  "kernel_launches"};
  std::vector<TrendSpec> specs;
  for (const char* const id : kIds) specs.push_back({budget::find_budget_metric(id)});
  return specs;
}

base::Result<std::vector<TrendSpec>> parse_trend_specs(const std::vector<std::string>& ids) {
  std::vector<TrendSpec> specs;
  for (const std::string& id : ids) {
    const budget::BudgetMetric* const metric = budget::find_budget_metric(id);
    if (metric == nullptr) {
      std::set<std::string_view> known;
      for (const budget::BudgetMetric& one : budget::all_budget_metrics()) {
        if (!one.needs_names()) known.insert(one.id.text());
      }
      const std::string_view nearest = base::nearest_text(known, id);
      return base::Error{fmt::format("Invalid --metric: \"{}\".", id), "",
                         nearest.empty() ? fmt::format("Valid values: {}", fmt::join(known, ", "))
                                         : fmt::format("Did you mean {}?", nearest)};
    }
    if (metric->needs_names()) {
      return base::Error{fmt::format("Invalid --metric: \"{}\".", id),
                         "It compares with the baseline of a budget", "Use dlview budget check"};
    }
    const auto same = [&](const TrendSpec& spec) { return spec.metric == metric; };
    if (std::ranges::any_of(specs, same)) continue;
    specs.push_back({metric, metric->default_statistic()});
  }
  return specs;
}

std::string AddedBudgets::note() const {
  if (without_baseline.empty()) return "";
  return fmt::format(
      "No line for {}: the limit compares with a baseline that has the budget. Add "
      "--baseline FILE",
      fmt::join(without_baseline, ", "));
}

AddedBudgets add_budgets(const budget::BudgetFile& file, const budget::Baseline* baseline,
                         std::vector<TrendSpec>& specs) {
  AddedBudgets added;
  const auto relative = static_cast<std::size_t>(std::ranges::count_if(
      file.budgets, [](const budget::Budget& limit) { return limit.worse_by.has_value(); }));
  for (const budget::Budget& limit : file.budgets) {
    std::optional<int64_t> at_most = limit.at_most ? limit.at_most : limit.equals,
                           at_least = limit.at_least ? limit.at_least : limit.equals;
    if (limit.worse_by) {
      const budget::BaselineBudget* before =
          baseline == nullptr ? nullptr : baseline->find(limit.name);
      if (before == nullptr || before->captures.empty()) {
        added.without_baseline.push_back(limit.name);
      } else {
        const auto allowed =
            std::llround(budget::allowance_of(limit, before->captures, relative).limit);
        if (limit.metric->less_is_better) {
          at_most = std::min<int64_t>(at_most.value_or(allowed), allowed);
        } else {
          at_least = std::max<int64_t>(at_least.value_or(allowed), allowed);
        }
      }
    }
    if (limit.metric->needs_names() || (!at_most && !at_least)) continue;
    const auto measures_it = [&](const TrendSpec& spec) {
      return spec.metric == limit.metric && spec.of == limit.of && spec.only == limit.only;
    };
    auto spec = std::ranges::find_if(specs, measures_it);
    if (spec == specs.end()) {
      const Statistic worst = limit.metric->less_is_better ? Statistic::max : Statistic::min;
      const Statistic of = limit.of == Statistic::each ? worst : limit.of;
      specs.push_back({limit.metric, of, limit.only, limit.name});
      spec = specs.end() - 1;
    }
    if (at_most) spec->at_most = at_most;
    if (at_least) spec->at_least = at_least;
  }
  return added;
}

std::optional<IterationRange> trend_range(const budget::RangeChoice& choice,
                                          const profile::Profile& profile,
                                          const aggregate::Cut& cut) {
  switch (choice.kind) {
    case budget::RangeChoice::Kind::steady:
      return std::nullopt;
    case budget::RangeChoice::Kind::range:
      return choice.range;
    case budget::RangeChoice::Kind::all:
      break;
  }
  const aggregate::Iterations iterations = aggregate::cut_iterations(profile, cut);
  return IterationRange{0, static_cast<int64_t>(iterations.rows.size()) - 1};
}

std::vector<std::string> trend_labels(const std::vector<std::string>& paths,
                                      const std::map<std::string, std::string>& given) {
  namespace fs = std::filesystem;
  std::vector<std::string> labels;
  std::map<std::string, int> uses;
  for (const std::string& path : paths) {
    const auto found = given.find(path);
    labels.push_back(found != given.end() ? found->second : fs::path(path).stem().string());
    ++uses[labels.back()];
  }
  // Files of one name in different folders.
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const fs::path folder = fs::path(paths[i]).parent_path().filename();
    if (uses.at(labels[i]) > 1 && !folder.empty() && !given.contains(paths[i])) {
      labels[i] = fmt::format("{}/{}", folder.string(), labels[i]);
    }
  }
  return labels;
}

TrendMeasure::TrendMeasure(std::vector<TrendSpec> specs, std::size_t ops)
    : specs_(std::move(specs)), ops_(ops) {}

base::Status TrendMeasure::add(const TrendInput& input) {
  const auto table = aggregate::make_cpu_aggregator(input.profile)->iteration_table(input.cut);
  const aggregate::RuleIndex rules(*input.profile);
  const auto run = std::make_shared<const ComparedRun>(input.profile, table, input.cut, rules);
  // Budgets measure the steady state, and their limits stand next to the values.
  const IterationRange range =
      input.range.value_or(aggregate::steady_range(table->iterations).value_or(run->usual_range()));
  if (range.last >= static_cast<int64_t>(table->iterations.rows.size())) {
    return base::Error{"Too few iterations",
                       fmt::format("{}: the last iteration is {}", input.profile->source.path,
                                   table->iterations.rows.size() - 1),
                       "Change --iterations, or leave the capture out"};
  }
  aggregate::TrendCapture capture;
  capture.label = input.label;
  capture.file = std::filesystem::path(input.profile->source.path).filename().string();
  if (input.profile->trace) capture.recorded = recording_time(*input.profile->trace);
  capture.first_iteration = range.first;
  capture.iterations = range.size();
  std::optional<aggregate::RunPair> runs;
  if (last_) {
    if (aggregate::is_same_capture(*last_->profile, *input.profile)) {
      return base::Error{
          "The same capture twice",
          fmt::format("{} and {}", last_->profile->source.path, input.profile->source.path),
          "Name captures of different runs"};
    }
    runs.emplace(last_, run);
    capture.break_reason = break_reason_of(*runs, {last_range_, range});
  }
  budget::Meter meter(input.profile, {input.cut, range});
  for (const TrendSpec& spec : specs_) capture.values.push_back(measure(spec, meter));
  captures_.push_back(std::move(capture));
  measure_ops(*run, range, runs ? &runs->matching() : nullptr);
  last_ = run;
  last_range_ = range;
  return base::Success{};
}

void TrendMeasure::measure_ops(const ComparedRun& run, const IterationRange& range,
                               const aggregate::OpMatching* matching) {
  if (ops_ == 0) return;
  const profile::Profile& profile = *run.profile;
  std::vector<std::size_t> lines(profile.ops.size(), kNoLine), since(lines);
  if (matching != nullptr) {
    for (const aggregate::OpMatch& match : matching->matches()) {
      lines[match.after] = line_of_op_[match.before];
      since[match.after] = since_of_op_[match.before];
    }
  }
  const aggregate::PartSums sums = run.exclusive.sums(range);
  const bool has_gpu = std::ranges::any_of(sums.gpu_busy_ns, [](int64_t ns) { return ns > 0; });
  std::vector<int64_t> sum_ns(profile.ops.size());
  for (const aggregate::PartTime& row : sums.rows) {
    if (row.key.op != profile::kNoRow && counts_for_ops(row.key.part, has_gpu)) {
      sum_ns[row.key.op] += row.exclusive_ns;
    }
  }
  const std::size_t capture = captures_.size() - 1;
  for (OpIndex op{0}; op < profile.ops.size(); ++op) {
    if (sum_ns[op] == 0) {
      since[op] = kNoLine;
    } else if (since[op] == kNoLine) {
      since[op] = capture;
    }
  }
  has_ops_.push_back(std::ranges::any_of(sum_ns, [](int64_t ns) { return ns > 0; }));
  // Lines of ops that are not in the capture before: one of them can come back.
  std::map<std::pair<std::string, std::string>, std::size_t> ended;
  for (std::size_t line = 0; line < lines_.size(); ++line) {
    ended.emplace(std::pair(lines_[line].name, lines_[line].id), line);
  }
  for (const std::size_t line : lines) {
    if (line != kNoLine) ended.erase({lines_[line].name, lines_[line].id});
  }
  // Ops of a thousandth of the time and more, and those that already have a line.
  const auto least_ns =
      static_cast<int64_t>(aggregate::kLeastJudgedShare * static_cast<double>(sums.range_ns) *
                           static_cast<double>(std::max<int64_t>(sums.devices, 1)));
  std::vector<OpIndex> measured;
  std::vector<uint32_t> rows(profile.ops.size(), UINT32_MAX);
  for (OpIndex op{0}; op < profile.ops.size(); ++op) {
    if (sum_ns[op] == 0 || (sum_ns[op] < least_ns && lines[op] == kNoLine)) continue;
    rows[op] = static_cast<uint32_t>(measured.size());
    measured.push_back(op);
  }
  const std::vector<std::vector<int64_t>> values = run.exclusive.by_iteration(
      range, measured.size(), [&](const PartKey& key) -> std::optional<uint32_t> {
        if (key.op == profile::kNoRow || !counts_for_ops(key.part, has_gpu)) return std::nullopt;
        return rows[key.op] == UINT32_MAX ? std::nullopt : std::optional(rows[key.op]);
      });
  const double devices = static_cast<double>(std::max<int64_t>(sums.devices, 1));
  const aggregate::BlockResampler resampler(static_cast<std::size_t>(range.size()));
  for (std::size_t i = 0; i < measured.size(); ++i) {
    std::size_t& place = lines[measured[i]];
    const OpIndex op = measured[i];
    if (place == kNoLine) {
      const auto known =
          ended.find({run.labels.text(op), std::string(profile.text(profile.ops.id[op]))});
      place = known != ended.end() ? known->second : lines_.size();
      if (known != ended.end()) ended.erase(known);
    }
    if (place == lines_.size()) {
      lines_.emplace_back();
      lines_.back().since = since[op];
      lines_.back().first = capture;
    }
    OpLine& line = lines_[place];
    line.name = run.labels.text(measured[i]);
    line.id = profile.text(profile.ops.id[measured[i]]);
    line.values.resize(capture + 1);
    TrendValue value{static_cast<double>(budget::statistic_of(values[i], Statistic::median)) /
                     devices};
    if (const auto interval = aggregate::median_interval(values[i], resampler)) {
      value.low = static_cast<double>(interval->low) / devices;
      value.high = static_cast<double>(interval->high) / devices;
    }
    line.sum += value.value;
    line.values[capture] = value;
  }
  line_of_op_ = std::move(lines);
  since_of_op_ = std::move(since);
}

aggregate::Trend TrendMeasure::finish() {
  std::vector<aggregate::TrendMetric> metrics;
  for (const TrendSpec& spec : specs_) {
    const auto limit = [&spec](const std::optional<int64_t>& value) {
      return value ? std::optional(budget::number_of(*value, spec.metric->unit())) : std::nullopt;
    };
    metrics.push_back({std::string(spec.metric->id.text()), spec.title(), spec.metric->unit(),
                       spec.metric->less_is_better, limit(spec.at_most), limit(spec.at_least)});
  }
  std::vector<std::size_t> largest(lines_.size());
  std::iota(largest.begin(), largest.end(), std::size_t{0});
  std::ranges::stable_sort(largest, std::ranges::greater{},
                           [this](std::size_t line) { return lines_[line].sum; });
  largest.resize(std::min(largest.size(), ops_));
  std::map<std::string, int> uses;
  for (const std::size_t place : largest) ++uses[lines_[place].name];
  for (const std::size_t place : largest) {
    OpLine& line = lines_[place];
    line.values.resize(captures_.size());
    // Where ops were recorded and this one is not there, it takes no time. Between its appearance
    // and its line it took less than a thousandth, which is not measured.
    for (std::size_t c = 0; c < captures_.size(); ++c) {
      const bool is_absent = c < line.since || c > line.first;
      if (!line.values[c] && has_ops_[c] && is_absent) line.values[c] = TrendValue{0};
    }
    metrics.push_back(
        {"op", uses.at(line.name) > 1 ? fmt::format("{} ({})", line.name, line.id) : line.name,
         aggregate::Unit::ns});
    for (std::size_t c = 0; c < captures_.size(); ++c) {
      captures_[c].values.push_back(line.values[c]);
    }
  }
  return aggregate::make_trend(std::move(metrics), std::move(captures_));
}

std::vector<std::size_t> order_by_recording(const std::vector<std::string>& recorded) {
  const auto has_none = [](const std::string& time) { return time.empty(); };
  if (std::ranges::any_of(recorded, has_none)) return {};
  const bool are_equal =
      std::ranges::adjacent_find(recorded, std::ranges::not_equal_to{}) == recorded.end();
  if (recorded.size() > 1 && are_equal) return {};  // identical times give no order
  std::vector<std::size_t> order(recorded.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return recorded[i]; });
  return order;
}

std::string trend_value_text(double value, aggregate::Unit unit) {
  return budget::value_text(budget::value_of_number(value, unit), unit);
}

}  // namespace dlview::report
