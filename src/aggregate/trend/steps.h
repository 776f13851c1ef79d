// Steps in a sequence of captures: a piecewise constant fit by least absolute deviations
// (spec.md, trend.steps).
//
//   noise      of captures of one state, from neighbors
//   fit        the levels with the least sum of |value - level| + penalty for each step, exact
//   steps      those beyond the floor between runs; a slow drift is none
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
  // Change from the first capture to the last by a straight line, if that fits better than levels.
  std::optional<double> drift;
  RunFloor floor;  // how far captures of one level lie apart
};

// Finds the steps of values in their order. No steps below kFewestForSteps values; negative values
// make one level. O(n^2 log n).
StepFit find_steps(std::span<const double> values, const StepOptions& options = {});

// The levels with the least sum of absolute deviations + penalty for each step, each of
// kFewestInLevel values or more; of equal sums those with fewest steps. Exact, by dynamic
// programming: O(n^2 log n).
std::vector<TrendLevel> fit_levels(std::span<const double> values, double penalty);

}  // namespace dlview::aggregate
