#include "report/budget/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "aggregate/findings.h"
#include "aggregate/limits/limits.h"
#include "aggregate/memory_use.h"
#include "aggregate/recorded.h"
#include "aggregate/tensor_core_uses.h"
#include "profile/recorded.h"

namespace dlview::report::budget {

// What must be recorded for the metric to have a value.
enum class Required : uint8_t {
  nothing,
  gpu_work,
  api_calls,
  category,
  eligibility,
  memory,
  names,
};

// What a metric may need beyond an aggregation. The profile outlives it.
struct RunParts {
  RunParts(const profile::Profile& whole, Required required,
           const std::vector<aggregate::Filter>& filters)
      : profile(whole) {
    if (required == Required::eligibility) {
      unknown_use = aggregate::UnknownTensorCoreUse(whole).filtered(filters);
    }
  }
  const profile::Profile& profile;
  std::optional<aggregate::UnknownTensorCoreUse> unknown_use;  // under the filters
  const KnownNames* known = nullptr;                           // of the baseline
};

struct MetricSource {
  using OfIteration = int64_t (*)(const aggregate::IterationTable& table, std::size_t iteration);
  using OfRange = int64_t (*)(const RunParts& run, const aggregate::Aggregation& aggregation);
  Required required = Required::nothing;
  OfRange of_range = nullptr;
  OfIteration of_iteration = nullptr;  // where the iteration table has it
  aggregate::Category category = aggregate::Category::other;
};

namespace {

using aggregate::Aggregation;
using aggregate::Category;
using aggregate::IterationTable;
using aggregate::Unit;
using profile::Profile;

int64_t devices_of(const IterationTable& table) {
  return std::max<int64_t>(table.device_count, 1);
}

// The mean over the GPUs, rounded down as the facts of an iteration are.
int64_t mean_of(int64_t device_sum_ns, const Aggregation& aggregation) {
  return device_sum_ns / devices_of(*aggregation.iteration_table);
}

template <Category kCategory>
int64_t category_of_iteration(const IterationTable& table, std::size_t i) {
  return table.facts[i].per_device[kCategory];
}
template <Category kCategory>
int64_t category_of_range(const RunParts&, const Aggregation& aggregation) {
  if (kCategory != Category::other) return mean_of(aggregation.breakdown[kCategory], aggregation);
  int64_t rest = aggregation.range_ns;
  for (const Category category : aggregate::kCategories) {
    if (category != Category::other) rest -= mean_of(aggregation.breakdown[category], aggregation);
  }
  return rest;
}
template <Category kCategory>
constexpr MetricSource category_source() {
  return {Required::category, category_of_range<kCategory>, category_of_iteration<kCategory>,
          kCategory};
}

double busy_percent(const IterationTable& table, std::size_t i) {
  const aggregate::Breakdown& sum = table.facts[i].device_sum;
  const int64_t busy = sum[Category::tensor_core_kernels] + sum[Category::other_kernels];
  const int64_t all = table.iterations.rows[i].duration_ns() * table.device_count;
  return all == 0 ? 0 : 100 * static_cast<double>(busy) / static_cast<double>(all);
}

aggregate::KnownEfficiency efficiency_of(const RunParts& run, const Aggregation& aggregation) {
  return aggregate::known_efficiency(run.profile, aggregation,
                                     run.unknown_use->eligible_gpu_ns(aggregation));
}

int64_t sum_over_ops(const Aggregation& aggregation,
                     aggregate::Stats aggregate::TimeStats::*times) {
  int64_t sum = 0;
  for (const aggregate::OpAggregate& op : aggregation.ops) sum += (op.times.*times).sum;
  return sum;
}

int64_t memory_peak(const RunParts& run, const Aggregation& aggregation) {
  const auto& rows = aggregation.iteration_table->iterations.rows;
  const auto [first, last] = aggregation.selection.range;
  const base::Interval time{rows[static_cast<std::size_t>(first)].start_ns,
                            rows[static_cast<std::size_t>(last)].stop_ns};
  int64_t peak = 0;
  for (const aggregate::MemoryCurve& curve : aggregate::memory_curves(run.profile)) {
    if (!curve.device().is_cpu()) peak = std::max(peak, curve.most(time).allocated);
  }
  return peak;
}

int64_t count_findings(const RunParts& run, const Aggregation& aggregation) {
  const Profile& profile = run.profile;
  const aggregate::RuleIndex rules(profile);
  const aggregate::LimitIndex limits(profile);
  const auto found = aggregate::find_findings(profile, aggregation, {}, &rules, 0, &limits);
  return static_cast<int64_t>(found.findings.size());
}

constexpr MetricSource kIterationDuration{
    Required::nothing, [](const RunParts&, const Aggregation& a) { return a.range_ns; },
    [](const IterationTable& table, std::size_t i) {
      return table.iterations.rows[i].duration_ns();
    }};
constexpr MetricSource kWallTime{Required::nothing,
                                 [](const RunParts&, const Aggregation& a) { return a.wall_ns; }};
constexpr MetricSource kAverageIteration{Required::nothing,
                                         [](const RunParts&, const Aggregation& a) {
                                           return int64_t{std::llround(a.average_iteration_ns())};
                                         }};
constexpr MetricSource kIterationDeviation{
    Required::nothing, [](const RunParts&, const Aggregation& a) {
      return int64_t{std::llround(a.iteration_standard_deviation_ns())};
    }};
constexpr MetricSource kProfiledIterations{
    Required::nothing,
    [](const RunParts&, const Aggregation& a) { return a.selection.range.size(); }};
constexpr MetricSource kIterationGpuTime{
    Required::gpu_work,
    [](const RunParts&, const Aggregation& a) {
      return mean_of(a.breakdown[Category::tensor_core_kernels], a) +
             mean_of(a.breakdown[Category::other_kernels], a);
    },
    [](const IterationTable& table, std::size_t i) {
      return table.facts[i].per_device[Category::tensor_core_kernels] +
             table.facts[i].per_device[Category::other_kernels];
    }};
constexpr MetricSource kUtilization{
    Required::gpu_work,
    [](const RunParts&, const Aggregation& a) { return in_millionths(a.gpu_utilization()); },
    [](const IterationTable& table, std::size_t i) {
      return in_millionths(busy_percent(table, i));
    }};
constexpr MetricSource kIdle{
    Required::gpu_work,
    [](const RunParts&, const Aggregation& a) { return in_millionths(100 - a.gpu_utilization()); },
    [](const IterationTable& table, std::size_t i) {
      return in_millionths(100 - busy_percent(table, i));
    }};
constexpr MetricSource kUtilizationUsed{
    Required::gpu_work,
    [](const RunParts&, const Aggregation& a) { return in_millionths(a.gpu_utilization_used()); }};
constexpr MetricSource kTensorCoreKernels = category_source<Category::tensor_core_kernels>();
constexpr MetricSource kOtherKernels = category_source<Category::other_kernels>();
constexpr MetricSource kMemory = category_source<Category::memory>();
constexpr MetricSource kDataLoader = category_source<Category::data_loader>();
constexpr MetricSource kIo = category_source<Category::io>();
constexpr MetricSource kCpu = category_source<Category::cpu>();
constexpr MetricSource kOther = category_source<Category::other>();
constexpr MetricSource kCommunication{
    Required::gpu_work,
    [](const RunParts&, const Aggregation& a) { return mean_of(a.communication.ns, a); },
    [](const IterationTable& table, std::size_t i) {
      return table.facts[i].communication_per_device.ns;
    }};
constexpr MetricSource kExposed{
    Required::gpu_work,
    [](const RunParts&, const Aggregation& a) { return mean_of(a.communication.exposed_ns, a); },
    [](const IterationTable& table, std::size_t i) {
      return table.facts[i].communication_per_device.exposed_ns;
    }};
constexpr MetricSource kOverlapped{Required::gpu_work,
                                   [](const RunParts&, const Aggregation& a) {
                                     return mean_of(a.communication.ns, a) -
                                            mean_of(a.communication.exposed_ns, a);
                                   },
                                   [](const IterationTable& table, std::size_t i) {
                                     return table.facts[i].communication_per_device.overlapped_ns();
                                   }};
constexpr MetricSource kEfficiency{Required::eligibility,
                                   [](const RunParts& run, const Aggregation& a) {
                                     return in_millionths(efficiency_of(run, a).percent());
                                   }};
constexpr MetricSource kMissed{Required::eligibility,
                               [](const RunParts& run, const Aggregation& a) {
                                 const aggregate::KnownEfficiency known = efficiency_of(run, a);
                                 return known.eligible_ns - known.tensor_core_ns;
                               }};
constexpr MetricSource kOpGpuTime{Required::gpu_work, [](const RunParts&, const Aggregation& a) {
                                    return sum_over_ops(a, &aggregate::TimeStats::gpu);
                                  }};
constexpr MetricSource kOpCpuTime{Required::nothing, [](const RunParts&, const Aggregation& a) {
                                    return sum_over_ops(a, &aggregate::TimeStats::cpu);
                                  }};
constexpr MetricSource kOpOverhead{Required::api_calls, [](const RunParts&, const Aggregation& a) {
                                     return sum_over_ops(a, &aggregate::TimeStats::overhead);
                                   }};
constexpr MetricSource kOpIdle{Required::gpu_work, [](const RunParts&, const Aggregation& a) {
                                 return sum_over_ops(a, &aggregate::TimeStats::idle);
                               }};
constexpr MetricSource kOpCalls{Required::nothing, [](const RunParts&, const Aggregation& a) {
                                  int64_t calls = 0;
                                  for (const auto& op : a.ops) calls += op.times.count();
                                  return calls;
                                }};
constexpr MetricSource kKernelTime{
    Required::gpu_work, [](const RunParts&, const Aggregation& a) { return a.all_kernels.gpu_ns; },
    [](const IterationTable& table, std::size_t i) { return table.facts[i].kernels.gpu_ns; }};
constexpr MetricSource kKernelTimeTensorCore{
    Required::gpu_work,
    [](const RunParts&, const Aggregation& a) { return a.tensor_core_kernels.gpu_ns; },
    [](const IterationTable& table, std::size_t i) {
      return table.facts[i].kernels.tensor_core_gpu_ns;
    }};
constexpr MetricSource kMemoryTime{
    Required::gpu_work, [](const RunParts&, const Aggregation& a) { return a.memory.gpu_ns; }};
constexpr MetricSource kLaunches{
    Required::gpu_work, [](const RunParts&, const Aggregation& a) { return a.kernel_launches; },
    [](const IterationTable& table, std::size_t i) { return table.facts[i].kernels.count; }};
constexpr MetricSource kKernelNames{
    Required::gpu_work, [](const RunParts&, const Aggregation& a) { return a.all_kernels.count; }};
constexpr MetricSource kMemoryPeak{Required::memory, memory_peak};
constexpr MetricSource kFindings{Required::nothing, count_findings};
constexpr MetricSource kMatchRate{
    Required::names, [](const RunParts& run, const Aggregation& a) {
      return in_millionths(100 * known_share(*run.known, run.profile, a));
    }};
constexpr MetricSource kNew{Required::names, [](const RunParts& run, const Aggregation& a) {
                              const auto names = new_names(*run.known, names_of(run.profile, a));
                              return static_cast<int64_t>(names.size());
                            }};

constexpr bool kLess = true, kMore = false, kEachIteration = true, kRangeOnly = false;
constexpr std::array kBudgetMetrics{
    BudgetMetric{"iteration_duration", kLess, kEachIteration, &kIterationDuration},
    BudgetMetric{"wall_time", kLess, kRangeOnly, &kWallTime},
    BudgetMetric{"average_iteration", kLess, kRangeOnly, &kAverageIteration},
    BudgetMetric{"iteration_deviation", kLess, kRangeOnly, &kIterationDeviation},
    BudgetMetric{"profiled_iterations", kMore, kRangeOnly, &kProfiledIterations},
    BudgetMetric{"iteration_gpu_time", kLess, kEachIteration, &kIterationGpuTime},
    BudgetMetric{"gpu_utilization", kMore, kEachIteration, &kUtilization},
    BudgetMetric{"gpu_utilization_used", kMore, kRangeOnly, &kUtilizationUsed},
    BudgetMetric{"gpu_idle", kLess, kEachIteration, &kIdle},
    BudgetMetric{"breakdown_tensor_core_kernels", kLess, kEachIteration, &kTensorCoreKernels},
    BudgetMetric{"breakdown_other_kernels", kLess, kEachIteration, &kOtherKernels},
    BudgetMetric{"breakdown_memory", kLess, kEachIteration, &kMemory},
    BudgetMetric{"breakdown_data_loader", kLess, kEachIteration, &kDataLoader},
    BudgetMetric{"breakdown_io", kLess, kEachIteration, &kIo},
    BudgetMetric{"breakdown_cpu", kLess, kEachIteration, &kCpu},
    BudgetMetric{"breakdown_other", kLess, kEachIteration, &kOther},
    BudgetMetric{"communication", kLess, kEachIteration, &kCommunication},
    BudgetMetric{"communication_exposed", kLess, kEachIteration, &kExposed},
    BudgetMetric{"communication_overlapped", kMore, kEachIteration, &kOverlapped},
    BudgetMetric{"memory_peak", kLess, kRangeOnly, &kMemoryPeak},
    BudgetMetric{"tensor_core_efficiency", kMore, kEachIteration, &kEfficiency},
    BudgetMetric{"tensor_core_missed", kLess, kEachIteration, &kMissed},
    BudgetMetric{"op_gpu_time", kLess, kEachIteration, &kOpGpuTime},
    BudgetMetric{"op_cpu_time", kLess, kEachIteration, &kOpCpuTime},
    BudgetMetric{"op_overhead_time", kLess, kEachIteration, &kOpOverhead},
    BudgetMetric{"op_idle_time", kLess, kEachIteration, &kOpIdle},
    BudgetMetric{"op_calls", kLess, kEachIteration, &kOpCalls},
    BudgetMetric{"kernel_gpu_time", kLess, kEachIteration, &kKernelTime},
    BudgetMetric{"kernel_gpu_time_tensor_core", kLess, kEachIteration, &kKernelTimeTensorCore},
    BudgetMetric{"kernel_gpu_time_memory", kLess, kEachIteration, &kMemoryTime},
    BudgetMetric{"kernel_launches", kLess, kEachIteration, &kLaunches},
    BudgetMetric{"kernel_names", kLess, kEachIteration, &kKernelNames},
    BudgetMetric{"findings", kLess, kRangeOnly, &kFindings},
    BudgetMetric{"match_rate", kMore, kRangeOnly, &kMatchRate},
    BudgetMetric{"new", kLess, kRangeOnly, &kNew},
};

std::string lack_text(const Profile& profile, profile::Evidence evidence) {
  const profile::NotRecorded* lack = profile::find_lack(profile, evidence);
  return lack == nullptr ? "" : fmt::format("{}: not recorded", lack->what);
}

std::string why_unknown(const MetricSource& source, const RunParts& run,
                        const Aggregation& aggregation) {
  using profile::Evidence;
  const Profile& profile = run.profile;
  const aggregate::RecordedCategories categories(profile, aggregation);
  switch (source.required) {
    case Required::nothing:
    case Required::names:  // Meter knows
      return "";
    case Required::gpu_work:
      return lack_text(profile, Evidence::gpu_work);
    case Required::api_calls:
      return lack_text(profile, Evidence::api_calls);
    case Required::category:
      return categories.contains(source.category) ? "" : "not recorded in this profile";
    case Required::eligibility:
      if (std::string lack = lack_text(profile, Evidence::gpu_work); !lack.empty()) return lack;
      return efficiency_of(run, aggregation)
                     .is_known(aggregate::tells_eligibility(profile, aggregation))
                 ? ""
                 : "the profile does not say which ops can use Tensor Cores";
    case Required::memory:
      return aggregate::has_memory_events(profile) ? "" : "memory events: not recorded";
  }
  return "";
}

}  // namespace

bool BudgetMetric::needs_names() const {
  return source->required == Required::names;
}

bool BudgetMetric::is_in_table() const {
  return source->of_iteration != nullptr;
}

bool BudgetMetric::is_of_best(Statistic statistic) const {
  const bool is_low = statistic == Statistic::p5 || statistic == Statistic::min;
  const bool is_high =
      statistic == Statistic::p95 || statistic == Statistic::p99 || statistic == Statistic::max;
  return less_is_better ? is_low : is_high;
}

bool BudgetMetric::can_be(Statistic statistic) const {
  if (statistic == Statistic::range) return true;
  return is_per_iteration && !is_of_best(statistic) &&
         (statistic != Statistic::sum || unit() != Unit::percent);
}

std::span<const BudgetMetric> all_budget_metrics() {
  return kBudgetMetrics;
}

const BudgetMetric* find_budget_metric(std::string_view id) {
  const auto found = std::ranges::find_if(
      kBudgetMetrics, [id](const BudgetMetric& metric) { return metric.id.text() == id; });
  return found == kBudgetMetrics.end() ? nullptr : &*found;
}

Meter::Meter(std::shared_ptr<const Profile> profile, aggregate::Selection selection,
             WhyNoMatch why_no_match)
    : profile_(std::move(profile)),
      selection_(std::move(selection)),
      aggregator_(aggregate::make_cpu_aggregator(profile_)),
      why_no_match_(std::move(why_no_match)) {
  selection_.filters.clear();
}

void Meter::use_names(const KnownNames* known, std::string why_none) {
  known_ = known;
  why_no_names_ = std::move(why_none);
}

const Aggregation& Meter::whole() {
  if (!whole_) whole_ = aggregator_->aggregate(selection_);
  return *whole_;
}

const Aggregation& Meter::aggregation(const std::vector<aggregate::Filter>& filters) {
  if (filters.empty()) return whole();
  const std::vector<aggregate::Filter> wanted = aggregate::canonical(filters);
  if (!filtered_ || filtered_->selection.filters != wanted) {
    aggregate::Selection selection = selection_;
    selection.filters = wanted;
    filtered_ = aggregator_->aggregate(selection);
  }
  return *filtered_;
}

std::vector<int64_t> slow_samples(const BudgetMetric& metric, const Profile& profile,
                                  aggregate::Aggregator& aggregator,
                                  const aggregate::Selection& selection) {
  const RunParts run(profile, metric.source->required, selection.filters);
  std::vector<int64_t> samples;
  for (int64_t i = selection.range.first; i <= selection.range.last; ++i) {
    const Aggregation one = aggregator.aggregate(selection.with_range({i, i}));
    samples.push_back(metric.source->of_range(run, one));
  }
  return samples;
}

namespace {

std::vector<int64_t> samples_in_table(const BudgetMetric& metric, const Aggregation& aggregation) {
  const aggregate::IterationRange range = aggregation.selection.range;
  std::vector<int64_t> samples;
  for (int64_t i = range.first; i <= range.last; ++i) {
    samples.push_back(
        metric.source->of_iteration(*aggregation.iteration_table, static_cast<std::size_t>(i)));
  }
  return samples;
}

}  // namespace

void Meter::add_samples(const BudgetMetric& metric, Measurement& measured,
                        const Aggregation& aggregation) {
  measured.samples = metric.is_in_table()
                         ? samples_in_table(metric, aggregation)
                         : slow_samples(metric, *profile_, *aggregator_, aggregation.selection);
}

std::optional<int64_t> value_at_hand(const BudgetMetric& metric, Statistic statistic,
                                     const profile::Profile& profile,
                                     const aggregate::Aggregation& aggregation) {
  const bool is_of_range = statistic == Statistic::range;
  if (metric.needs_names() || (!is_of_range && !metric.is_in_table())) return std::nullopt;
  const RunParts run(profile, metric.source->required, aggregation.selection.filters);
  if (!why_unknown(*metric.source, run, aggregation).empty()) return std::nullopt;
  return is_of_range ? metric.source->of_range(run, aggregation)
                     : statistic_of(samples_in_table(metric, aggregation), statistic);
}

std::optional<int64_t> op_mean_at_hand(aggregate::MetricId metric, profile::OpIndex op,
                                       const profile::Profile& profile,
                                       const Aggregation& aggregation) {
  using aggregate::TimeStats;
  struct Source {
    std::string_view metric;
    aggregate::Stats TimeStats::*times;
    int64_t aggregate::Stats::*value;
  };
  constexpr Source kSources[] = {
      {"op_gpu_time", &TimeStats::gpu, &aggregate::Stats::sum},
      {"op_cpu_time", &TimeStats::cpu, &aggregate::Stats::sum},
      {"op_overhead_time", &TimeStats::overhead, &aggregate::Stats::sum},
      {"op_idle_time", &TimeStats::idle, &aggregate::Stats::sum},
      {"op_calls", &TimeStats::cpu, &aggregate::Stats::count},
  };
  const auto source = std::ranges::find(kSources, metric.text(), &Source::metric);
  const int64_t iterations = aggregation.selection.range.size();
  if (source == std::end(kSources) || iterations < 1) return std::nullopt;
  int64_t sum = 0;
  for (const aggregate::OpAggregate& each : aggregation.ops) {
    if (profile.ops.name[each.op] == profile.ops.name[op]) {
      sum += each.times.*(source->times).*(source->value);
    }
  }
  return (sum + iterations - 1) / iterations;
}

Measurement Meter::measure(const BudgetMetric& metric, Statistic statistic,
                           const std::vector<aggregate::Filter>& filters) {
  for (const aggregate::Filter& filter : filters) {
    const std::string why = why_no_match_ ? why_no_match_(filter) : "";
    if (!why.empty()) return {why, 0, selection_.range};
  }
  const Aggregation& aggregation = this->aggregation(filters);
  RunParts run(*profile_, metric.source->required, aggregation.selection.filters);
  run.known = known_;
  Measurement measured{why_unknown(*metric.source, run, aggregation), 0,
                       aggregation.selection.range};
  if (metric.needs_names() && known_ == nullptr) measured.unknown = why_no_names_;
  if (!measured.is_known()) return measured;
  if (metric.source == &kNew) measured.names = new_names(*known_, names_of(*profile_, aggregation));
  if (statistic == Statistic::range) {
    measured.value = metric.source->of_range(run, aggregation);
    return measured;
  }
  add_samples(metric, measured, aggregation);
  measured.value = statistic_of(measured.samples, statistic);
  return measured;
}

}  // namespace dlview::report::budget
