// Measures captures one after another for a Trend (spec.md, trend.*). Two profiles are in memory at
// a time: a capture and the one before it, whose ops it is matched with.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/comparison/run_pair.h"
#include "aggregate/selection.h"
#include "aggregate/trend/trend.h"
#include "base/result.h"
#include "profile/profile.h"
#include "report/budget/baseline.h"
#include "report/budget/budget_file.h"
#include "report/budget/metrics.h"

namespace dlview::report {

// A metric to follow.
struct TrendSpec {
  const budget::BudgetMetric* metric = nullptr;
  budget::Statistic of = budget::Statistic::median;
  std::vector<aggregate::Filter> only = {};
  std::string name = {};  // of a budget; empty = by metric and statistic
  std::optional<int64_t> at_most = std::nullopt, at_least = std::nullopt;

  std::string title() const;  // "Duration of an iteration, median"
};

// Duration of the iteration, parts of the breakdown, exposed communication, GPU utilization, Tensor
// Core efficiency and kernel launches.
std::vector<TrendSpec> default_trend_specs();
// Reads ids of budget metrics; refuses others, with the nearest name.
base::Result<std::vector<TrendSpec>> parse_trend_specs(const std::vector<std::string>& ids);
// Adds the limits of a budget file: to the spec that measures the same, else as a spec of its own.
// Limits that compare with a baseline (may be null) lie where `dlview budget check` has them.
struct AddedBudgets {
  std::vector<std::string> without_baseline;  // names of those that need one that has them
  std::string note() const;                   // empty = each has its line
};
AddedBudgets add_budgets(const budget::BudgetFile& file, const budget::Baseline* baseline,
                         std::vector<TrendSpec>& specs);

// A capture to be measured.
struct TrendInput {
  std::string label;
  std::shared_ptr<const profile::Profile> profile;
  aggregate::Cut cut;
  std::optional<aggregate::IterationRange> range;  // nullopt: the steady state
};

// The range of a capture's iterations that a budget file or --iterations chooses; nullopt: the
// steady state.
std::optional<aggregate::IterationRange> trend_range(const budget::RangeChoice& choice,
                                                     const profile::Profile& profile,
                                                     const aggregate::Cut& cut);

// The labels of captures: those that are given by path, else the names of the files without their
// endings, with the folder where two are alike.
std::vector<std::string> trend_labels(const std::vector<std::string>& paths,
                                      const std::map<std::string, std::string>& given = {});

class TrendMeasure {
 public:
  static constexpr std::size_t kOps = 10;  // the largest ones that are followed

  explicit TrendMeasure(std::vector<TrendSpec> specs, std::size_t ops = kOps);
  // In the order of the trend. Fails if the capture is the one before it, or has too few
  // iterations. Costs passes over all events, and the entries of exclusive time in the range.
  base::Status add(const TrendInput& input);
  // The metrics, then the largest ops.
  aggregate::Trend finish();

 private:
  // An op through the captures: matched from each to the next.
  struct OpLine {
    std::string name, id;
    std::vector<std::optional<aggregate::TrendValue>> values;  // by capture
    double sum = 0;
    // The capture with which the op appears, and that with its first value.
    std::size_t since = 0, first = 0;
  };

  void measure_ops(const aggregate::ComparedRun& run, const aggregate::IterationRange& range,
                   const aggregate::OpMatching* matching);

  std::vector<TrendSpec> specs_;
  std::size_t ops_;
  std::vector<aggregate::TrendCapture> captures_;
  std::vector<OpLine> lines_;
  std::vector<bool> has_ops_;  // by capture: it has time of ops
  // The capture before.
  std::shared_ptr<const aggregate::ComparedRun> last_;
  aggregate::IterationRange last_range_;
  std::vector<std::size_t> line_of_op_, since_of_op_;
};

// The order by time of recording; empty if one has none: then the captures stay as they are.
std::vector<std::size_t> order_by_recording(const std::vector<std::string>& recorded);

// "Kernel launches" is "74,107", a time "30.6 ms".
std::string trend_value_text(double value, aggregate::Unit unit);

}  // namespace dlview::report
