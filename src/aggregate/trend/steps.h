// Steps in a sequence of captures: a piecewise constant fit by least absolute deviations
// (spec.md, trend.steps).
//
//   noise      of captures of one state, from neighbors
//   fit        the levels with the least sum of |value - level| + penalty for each step, exact
//   steps      those beyond the floor between runs; a slow drift is none
//   standouts  single captures that lie apart from their level: the next ones may not
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "aggregate/comparison/statistics.h"

namespace dlview::aggregate {

inline constexpr std::size_t kFewestInLevel = 2;  // captures
inline constexpr std::size_t kFewestForSteps = 2 * kFewestInLevel;

struct TrendValue {
  double value = 0;
  std::optional<double> low = std::nullopt, high = std::nullopt;  // 95% interval
  bool operator==(const TrendValue&) const = default;
};

// Captures [first, end) of a sequence that have one level.
struct TrendLevel {
  std::size_t first = 0, end = 0;
  double value = 0;  // median; of an even count the middle of both
  std::size_t size() const { return end - first; }
  bool operator==(const TrendLevel&) const = default;
};

struct TrendStep {
  std::size_t at = 0;  // the first capture of the level after
  double before = 0, after = 0;
  ChangeInterval interval;                              // 95%, of after / before - 1
  double change() const { return after / before - 1; }  // infinite from 0
  bool operator==(const TrendStep&) const = default;
};

struct StepOptions {
  // Sequences that are looked at together: any of them shows a step by chance with 1% at most.
  std::size_t sequences = 1;
  bool is_count = false;  // repeats exactly: without any noise each step counts
};

struct StepFit {
  std::vector<TrendLevel> levels;  // one after another, of the whole sequence
  std::vector<TrendStep> steps;    // between levels
  // Change from the first capture to the last by a straight line, if that is beyond the floor and
  // fits better than levels. There are no steps then.
  std::optional<double> drift;
  RunFloor floor;  // how far captures of one level lie apart
};

// A capture that lies apart from the others of its level.
struct TrendStandout {
  std::size_t at = 0;
  double usual = 0, value = 0;                         // median of the others; of the capture
  double change() const { return value / usual - 1; }  // infinite from 0
  bool operator==(const TrendStandout&) const = default;
};

// Finds the steps of values in their order. No steps below kFewestForSteps values; negative values
// make one level. O(n^2 log n).
StepFit find_steps(std::span<const double> values, const StepOptions& options = {});

// Finds the captures of levels that stand out, in their order, by Rosner's generalized test (1983):
// the most extreme capture of a level leaves it, up to a quarter of them one after another. The
// rest has a mean m and a deviation s; captures that left stand out where their whole interval lies
// further from m than the prediction interval m +- t s sqrt(1 + 1/n) of one more capture, and than
// the assumed floor. t is corrected for the choices of captures to leave, and for all sequences:
// without any change one of them shows one with about 0.5%, however large the noise. None in levels
// below kFewestForSteps. `levels`: of find_steps().
std::vector<TrendStandout> find_standouts(std::span<const TrendValue> values,
                                          std::span<const TrendLevel> levels,
                                          const StepOptions& options = {});

// The levels with the least sum of absolute deviations + penalty for each step, each of
// kFewestInLevel values or more; of equal sums those with fewest steps. Exact, by dynamic
// programming: O(n^2 log n).
std::vector<TrendLevel> fit_levels(std::span<const double> values, double penalty);

}  // namespace dlview::aggregate
