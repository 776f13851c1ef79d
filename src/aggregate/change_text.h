// What changed between two iterations or two runs, in one sentence.
#pragma once

#include <string>
#include <string_view>

#include "aggregate/compare.h"
#include "aggregate/compare_runs.h"

namespace dlview::aggregate {

// "Iteration 20 is 1.20 ms longer than iteration 31: GPU idle +1.13 ms." All parts that make up a
// fifth of the difference or more are named, the largest first. Without GPU activity the op that
// differs most is.
std::string change_text(const profile::Profile& profile, const IterationComparison& comparison);
// "Iterations are 539 ms shorter: GPU idle −545 ms." Of less than 1 % "Iterations take as long as
// before." Of runs that are not split "The run is ..."
std::string change_text(const RunComparison& comparison);

}  // namespace dlview::aggregate
