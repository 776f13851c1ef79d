#include "generate/demo/schedule.h"

#include <algorithm>
#include <array>

namespace dlview::generate::demo {
namespace {

// Runs too short for a story have normal steps only.
constexpr int64_t kLeastForStory = 16;

int64_t warm_up_steps(int64_t iterations) {
  return std::max<int64_t>(2, iterations * 4 / 100);
}

StepKind kind_of(int64_t step, int64_t iterations) {
  if (iterations < kLeastForStory) return StepKind::normal;
  if (step < warm_up_steps(iterations)) return StepKind::warm_up;
  if (step == iterations * 47 / 100) return StepKind::skipped;
  if (step == iterations * 62 / 100) return StepKind::slow_loading;
  if (step == iterations / 3 || step == iterations * 4 / 5) return StepKind::checkpoint;
  return StepKind::normal;
}

}  // namespace

std::string_view to_text(StepKind kind) {
  constexpr std::array<std::string_view, 5> kTexts{"normal", "warm-up", "skipped", "slow loading",
                                                   "checkpoint"};
  return kTexts[static_cast<std::size_t>(kind)];
}

Schedule make_schedule(int64_t iterations, int64_t kernels, bool setup_can_launch) {
  constexpr int64_t kMostInSetup = 12;
  Schedule schedule;
  if (setup_can_launch) schedule.setup_kernels = std::min(kMostInSetup, kernels / 20);
  schedule.steps_are_marked = iterations > 0;
  schedule.steps.resize(static_cast<std::size_t>(std::max<int64_t>(1, iterations)));

  int64_t working_steps = 0;
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    Step& step = schedule.steps[i];
    step.kind = kind_of(static_cast<int64_t>(i), iterations);
    if (step.kind == StepKind::warm_up) step.warm_up = static_cast<int>(i);
    if (step.kind != StepKind::skipped) ++working_steps;
  }
  int64_t left = kernels - schedule.setup_kernels;
  for (Step& step : schedule.steps) {
    if (step.kind == StepKind::skipped) continue;
    step.kernels = (left + working_steps - 1) / working_steps;
    left -= step.kernels;
    --working_steps;
  }
  return schedule;
}

// Kernels are shared out from the first step on, the larger shares first.
int64_t kernels_of_step(const Schedule& schedule) {
  int64_t kernels = 0;
  for (const Step& step : schedule.steps) {
    if (step.kind != StepKind::skipped) kernels = step.kernels;
  }
  return kernels;
}

}  // namespace dlview::generate::demo
