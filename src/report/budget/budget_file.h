// A budget file: limits for the metrics of a run, as people write them in TOML
// (docs/dev/spec.md, Budgets; docs/budgets.md for users).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/selection.h"
#include "base/result.h"
#include "report/budget/metrics.h"
#include "report/budget/toml_text.h"

namespace dlview::report::budget {

// How much worse than the baseline a value may be.
struct Tolerance {
  enum class Kind : uint8_t { learned, share, amount } kind = Kind::learned;
  double share = 0;    // of the baseline: 0.03
  int64_t amount = 0;  // in the metric's unit
  bool operator==(const Tolerance&) const = default;
};

enum class Level : uint8_t { error, warning };
// What a value that cannot be measured means.
enum class WhenUnknown : uint8_t { fail, pass, skip };

struct Budget {
  std::string name;
  const BudgetMetric* metric = nullptr;
  Statistic of = Statistic::median;
  std::optional<int64_t> at_most, at_least, equals;
  std::optional<Tolerance> worse_by;
  std::vector<aggregate::Filter> only;
  Level level = Level::error;
  WhenUnknown when_unknown = WhenUnknown::fail;
  Place place;  // of the name, else of the budget

  aggregate::Unit unit() const { return metric->unit(); }
};

// What the run must be like for the budgets to mean something.
struct Need {
  enum class Fact : uint8_t { gpu, gpus, compute_capability, framework, cuda, driver } fact;
  std::string pattern;  // * stands for any text
  Place place;
};
std::string_view to_text(Need::Fact fact);
// Whether a text has the pattern. O(n m).
bool matches(std::string_view text, std::string_view pattern);

struct RangeChoice {
  enum class Kind : uint8_t { steady, all, range } kind = Kind::steady;
  aggregate::IterationRange range = {};
  Place place = {};
  bool operator==(const RangeChoice&) const = default;
};
std::string to_text(const RangeChoice& choice);  // "steady", "all", "50:100"

struct BudgetFile {
  std::string path;
  std::optional<std::string> key_op;
  Place key_op_place = {};
  std::optional<aggregate::SplitBy> split_by;
  RangeChoice iterations;
  std::vector<Need> needs;
  std::vector<Budget> budgets;  // at least one; names are unique

  std::string place_text(const Place& place) const;  // "budget.toml:7:3"
  bool needs_baseline() const;
  bool needs_names() const;  // of what the baseline has
};

inline constexpr std::size_t kMostBudgetFileBytes = std::size_t{1} << 20U;

// `path` is for messages only. Errors have line and column, and the nearest valid name.
base::Result<BudgetFile> parse_budget_file(std::string_view text, const std::string& path);

// The text of a [[budget]] for a budget file, with this value as its limit; without one it may get
// no worse than the baseline, as far as captures differ. nullopt = no budget can limit the metric
// in this way.
std::optional<std::string> budget_toml(aggregate::MetricId metric, Statistic of,
                                       std::optional<int64_t> limit,
                                       const std::vector<aggregate::Filter>& filters = {});

}  // namespace dlview::report::budget
