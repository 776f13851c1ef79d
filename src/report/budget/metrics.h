// The metrics that a budget can limit, and their values in a profile (docs/dev/spec.md, Budgets).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregator.h"
#include "aggregate/metrics.h"
#include "base/result.h"
#include "profile/profile.h"
#include "report/budget/known_names.h"
#include "report/budget/values.h"

namespace dlview::report::budget {

struct MetricSource;  // where the values come from

// A metric that a budget can limit.
struct BudgetMetric {
  aggregate::MetricId id;
  bool less_is_better = true;
  bool is_per_iteration = true;  // false: only the range as a whole has a value
  const MetricSource* source = nullptr;
  // Compares names with those of the baseline: what is worse than it has no meaning.
  bool needs_names() const;
  // The iteration table has its values per iteration; of others each costs a range change.
  bool is_in_table() const;

  aggregate::Unit unit() const { return aggregate::metric(id).unit; }
  // Whether the statistic is that of the best iterations: p95 where more is better, p5 where less
  // is. A budget is about the worst ones.
  bool is_of_best(Statistic statistic) const;
  // Of percentages there is no sum, and no statistic of the best iterations.
  bool can_be(Statistic statistic) const;
  Statistic default_statistic() const {
    return is_per_iteration ? Statistic::median : Statistic::range;
  }
};

std::span<const BudgetMetric> all_budget_metrics();
const BudgetMetric* find_budget_metric(std::string_view id);  // nullptr = there is none

struct Measurement {
  // Why there is no value; empty if there is one. A sentence without a period.
  std::string unknown = {};
  int64_t value = 0;
  aggregate::IterationRange range = {};
  std::vector<int64_t> samples = {};    // of the iterations of the range; empty for `range`
  std::vector<std::string> names = {};  // what is new, of the metric `new`
  bool is_known() const { return unknown.empty(); }
};

// Measures one profile. Not for several threads at once.
class Meter {
 public:
  // Says why nothing in the profile matches a filter; empty = something does.
  using WhyNoMatch = std::function<std::string(const aggregate::Filter& filter)>;
  // `selection`: split and range; its filters do not matter.
  Meter(std::shared_ptr<const profile::Profile> profile, aggregate::Selection selection,
        WhyNoMatch why_no_match = {});

  // Costs a pass over the range for new filters, and a range change for each iteration where the
  // iteration table does not have the metric.
  Measurement measure(const BudgetMetric& metric, Statistic statistic,
                      const std::vector<aggregate::Filter>& filters);

  // The names of a baseline, which outlive the meter; nullptr: `why_none` says why there are none.
  void use_names(const KnownNames* known, std::string why_none);

  const profile::Profile& profile() const { return *profile_; }
  const aggregate::Selection& selection() const { return selection_; }
  // Returns the aggregation of the range, without filters.
  const aggregate::Aggregation& whole();

 private:
  const aggregate::Aggregation& aggregation(const std::vector<aggregate::Filter>& filters);
  void add_samples(const BudgetMetric& metric, Measurement& measured,
                   const aggregate::Aggregation& aggregation);

  std::shared_ptr<const profile::Profile> profile_;
  aggregate::Selection selection_;
  std::unique_ptr<aggregate::Aggregator> aggregator_;
  WhyNoMatch why_no_match_;
  const KnownNames* known_ = nullptr;
  std::string why_no_names_ = "no baseline: add --baseline FILE";
  std::optional<aggregate::Aggregation> whole_, filtered_;
};

// The value of a metric in an aggregation at hand, with its filters; nullopt = it is unknown, or
// costs more than the iteration table.
std::optional<int64_t> value_at_hand(const BudgetMetric& metric, Statistic statistic,
                                     const profile::Profile& profile,
                                     const aggregate::Aggregation& aggregation);
// The mean over the iterations of all ops with the name of this one, rounded up; nullopt = the
// metric is no time or count of ops.
std::optional<int64_t> op_mean_at_hand(aggregate::MetricId metric, profile::OpIndex op,
                                       const profile::Profile& profile,
                                       const aggregate::Aggregation& aggregation);

// The values of a metric in each iteration, one range change each. Slow: fast ones must equal it.
std::vector<int64_t> slow_samples(const BudgetMetric& metric, const profile::Profile& profile,
                                  aggregate::Aggregator& aggregator,
                                  const aggregate::Selection& selection);

}  // namespace dlview::report::budget
