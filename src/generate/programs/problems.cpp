#include "generate/programs/problems.h"

#include <vector>

#include "generate/programs/problem_parts.h"

namespace dlview::generate::programs {

std::span<const PlannedProblem> planned_problems() {
  static const std::vector<PlannedProblem> problems = [] {
    std::vector<PlannedProblem> all;
    for (const auto part : {host_problems(), copy_problems(), gpu_problems()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return problems;
}

double usual_step_ns(const JobRun& run) {
  const auto& starts = run.starts_ns;
  const auto first = static_cast<std::size_t>(kFirstUsualStep);
  return static_cast<double>(starts.back() - starts[first]) /
         static_cast<double>(starts.size() - 1 - first);
}

}  // namespace dlview::generate::programs
