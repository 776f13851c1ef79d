// Programs with a planted problem, and programs that come near it: the acceptance of findings
// (tests/aggregate/planted_problems_test.cpp). What a problem costs is known by running the same
// program without it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "generate/programs/problem_job.h"

namespace dlview::generate::programs {

struct PlannedProblem {
  std::string_view detector;  // of the finding
  std::string_view name;      // unique: "item_in_every_third_layer"
  bool is_near = false;       // looks like it, and must not be reported
  // `with`: with the problem; else the same without it.
  JobRun (*make)(uint64_t seed, bool with);
};

// Steps before this one fill the queue of the GPU, or warm up.
inline constexpr int64_t kFirstUsualStep = 4;

std::span<const PlannedProblem> planned_problems();

// Mean length of a step from kFirstUsualStep on, from start to start, in ns.
double usual_step_ns(const JobRun& run);

}  // namespace dlview::generate::programs
