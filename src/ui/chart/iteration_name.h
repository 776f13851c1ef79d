// What an iteration is called: by its running number, and by that of the range it comes from where
// these differ; and what is to be said of the first and the last one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "aggregate/iterations.h"
#include "aggregate/selection.h"
#include "profile/profile.h"

namespace dlview::ui {

// "Iteration 3", "Iteration 3 · Step 30".
std::string iteration_name(const aggregate::Iterations& iterations, int64_t iteration);
// "3", "3 · Step 30".
std::string iteration_number(const aggregate::Iterations& iterations, int64_t iteration);

// "iteration 3", "iterations 3 – 40".
std::string range_text(const aggregate::IterationRange& range);

// Of the first and the last iteration where they are bounded otherwise than the others, so that
// their durations tell less: "Ends with the recording, and may be cut off". "" for all others.
std::string_view edge_note(const profile::Profile& profile, const aggregate::Iterations& iterations,
                           int64_t iteration);

}  // namespace dlview::ui
