// What iterations are called, which two are compared, and how their differences read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "aggregate/iterations.h"
#include "aggregate/selection.h"
#include "profile/profile.h"
#include "ui/model.h"

namespace dlview::ui {

// What an iteration is called: by its running number, and by that of the range it comes from where
// these differ; and what is to be said of the first and the last one.

// "Iteration 3", "Iteration 3 · Step 30".
std::string iteration_name(const aggregate::Iterations& iterations, int64_t iteration);
// "3", "3 · Step 30".
std::string iteration_number(const aggregate::Iterations& iterations, int64_t iteration);

// "iteration 3", "iterations 3–40".
std::string range_text(const aggregate::IterationRange& range);

// Of the first and the last iteration where they are bounded otherwise than the others, so that
// their durations tell less: "Ends with the capture; may be incomplete". "" for all others.
std::string_view edge_note(const profile::Profile& profile, const aggregate::Iterations& iterations,
                           int64_t iteration);

// Which two iterations stand side by side. Pure.

struct ComparedIterations {
  int64_t iteration = 0, baseline = 0;
  bool is_slowest = false, is_typical = false;  // the first one, the other one
  bool operator==(const ComparedIterations&) const = default;
};

// `slowest` of the range. Nothing as long as the typical iteration is not known, and where there is
// only one.
std::optional<ComparedIterations> compared_iterations(const Model& model, int64_t slowest);

// "Slowest of the range: iteration 1 vs. the typical 52".
std::string describe_compared(const ComparedIterations& compared);

// How differences of durations read: always with their sign.
// "+142 ms", "−3.1 µs", "0".
std::string format_difference(int64_t difference_ns);

}  // namespace dlview::ui
