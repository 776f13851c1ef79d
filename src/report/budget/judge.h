// Judges whether a run keeps its budgets (docs/dev/spec.md, Budgets).
//
// A limit (at_most, at_least, equals) is compared with the measured value. "Worse than the
// baseline" is a statement about the program, so that it needs statistics: a capture of the same
// program never measures the same value twice.
//
//   captures in the baseline   "learned" tolerance
//   3 and more                 upper end of the 99% prediction interval of one more capture
//   1, 2                       2%, assumed; the interval of the change must lie beyond it
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aggregate/comparison/statistics.h"
#include "report/budget/baseline.h"
#include "report/budget/budget_file.h"

namespace dlview::report::budget {

enum class State : uint8_t {
  kept,
  broken,
  inconclusive,    // the captures cannot tell
  not_comparable,  // another GPU, another split
  not_measurable,
  skipped,  // not measurable, and the budget says that this does not matter
};
std::string_view to_text(State state);  // "not measurable"

// What the baseline says of a budget, and how much worse a run may be.
struct Allowance {
  double baseline = 0;   // mean over its captures
  int64_t captures = 0;  // that it was measured in
  bool is_learned = false;
  // Most that the value may be worse, as a share of the baseline. nullopt if the baseline is 0:
  // then `most_worse` alone counts.
  std::optional<double> share;
  double most_worse = 0;  // in the metric's unit
  double limit = 0;       // baseline and most_worse
  // What captures of one state differ by, as a share: smaller changes cannot be seen.
  double floor = 0;

  // The share beyond which the interval of the change breaks the budget. Needs `share`.
  double broken_beyond() const;
};
// How much worse the interval of the change may be, the same everywhere: "kept within 2%, broken
// beyond 2.6%, otherwise inconclusive". Empty without a share.
std::string bands_text(const Allowance& allowance);

struct Judgement {
  const Budget* budget = nullptr;
  State state = State::kept;
  std::string reason;              // a sentence without a period; empty if kept
  std::vector<std::string> notes;  // likewise; what a reader should know although it is kept
  std::optional<int64_t> value;
  aggregate::IterationRange range;
  int64_t iterations = 0;  // measured
  std::optional<Allowance> allowance;
  std::optional<aggregate::ChangeInterval> change;  // of value / baseline - 1
  // Up to three iterations with the worst values, worst first.
  std::vector<std::pair<int64_t, int64_t>> worst;

  // Whether the state makes the exit code: a warning does not.
  bool counts() const { return budget->level == Level::error; }
};

struct Verdicts {
  std::vector<Judgement> judgements;  // in the order of the file
  std::vector<std::string> notes;     // about all of them
  int64_t count(State state, Level level) const;
};

// What a run measured of one budget, against the captures of the baseline; the statistics alone.
// `before`: captures in which the budget was measured. `budgets`: how many are judged together:
// that all of them are kept by an unchanged program has a probability of 99%.
struct Comparison {
  Allowance allowance;
  std::optional<aggregate::ChangeInterval> change;
  State state = State::kept;
  std::string reason;
};
Comparison compare_with_baseline(const Budget& budget, const std::vector<CapturedValues>& before,
                                 const Measurement& run, std::size_t budgets);

// Only the allowance: what `explain` prints before there is a run.
Allowance allowance_of(const Budget& budget, const std::vector<CapturedValues>& before,
                       std::size_t budgets);

// The interval of statistic(after) / statistic(before) - 1. For medians 95%, as `compare` has it;
// for others 99%, by the same bootstrap. nullopt for too few iterations, for baselines of 0, and
// for minima and maxima, which a bootstrap cannot tell.
std::optional<aggregate::ChangeInterval> change_interval(const std::vector<int64_t>& before,
                                                         const std::vector<int64_t>& after,
                                                         Statistic statistic);

// `baseline` may be null; then budgets that need one are inconclusive.
Verdicts judge(const BudgetFile& file, Meter& meter, const Baseline* baseline);

enum class Inconclusive : uint8_t { fail, pass };
// 0: all kept. 1: a budget is broken. 3: inconclusive or not comparable, and none broken.
int exit_code_of(const Verdicts& verdicts, Inconclusive inconclusive);

}  // namespace dlview::report::budget
