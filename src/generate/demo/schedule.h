// The kind of step of each iteration and its number of kernels: exactly the requested total.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace dlview::generate::demo {

enum class StepKind {
  normal,
  warm_up,       // convolutions are tuned
  skipped,       // the batch is dropped: no kernels
  slow_loading,  // the data loader is late
  checkpoint,    // the weights are saved
};

std::string_view to_text(StepKind kind);  // "slow loading"

struct Step {
  StepKind kind = StepKind::normal;
  int64_t kernels = 0;  // on all GPUs
  int warm_up = 0;      // of a warm-up step: 0 for the first, 1, 2, ...
};

struct Schedule {
  int64_t setup_kernels = 0;
  std::vector<Step> steps;
  bool steps_are_marked = true;  // by an instance of the key op
};

// Without iterations everything happens in one step that no key op marks. `setup_can_launch`: the
// network has kernels to launch before the first step.
Schedule make_schedule(int64_t iterations, int64_t kernels, bool setup_can_launch);

// The fewest kernels that a step gets, skipped steps apart.
int64_t kernels_of_step(const Schedule& schedule);

}  // namespace dlview::generate::demo
