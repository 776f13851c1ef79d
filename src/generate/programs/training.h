// A synthetic PyTorch training or inference program, and what a person who looks at its capture
// would call an iteration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generate/capture.h"

namespace dlview::generate::programs {

// The ranges around steps: "step 7", "iter 7", "Iteration 7", "train_step", "ProfilerStep#7",
// "step", "batch 7", "Step 7 to 8", "work 7", none.
enum class StepNames : uint8_t {
  step_n,
  iter_n,
  iteration_n,
  train_step,
  profiler_step_n,
  step,
  batch_n,
  step_a_to_b,
  work_n,  // a name that does not say so
  none
};

// Which thread loads the batches: the main thread, a pin-memory thread, or DALI's, with its own
// ranges and kernels.
enum class Loading : uint8_t { on_main_thread, pin_memory_thread, dali };

struct Training {
  uint64_t seed = 1;
  int64_t steps = 30;  // in all, warm-up not counted
  StepNames names = StepNames::step_n;
  int64_t layers = 8;
  int64_t micro_batches = 1;     // per optimizer step
  int64_t warm_up_steps = 0;     // in their own ranges
  int64_t epochs = 0;            // ranges around `steps / epochs` steps; 0: no such ranges
  int64_t evaluation_steps = 0;  // forward passes after each epoch, or after all steps
  int64_t checkpoint_every = 0;  // steps; 0: never
  Loading loading = Loading::on_main_thread;
  int64_t loading_percent = 10;  // of the GPU time of a step
  bool in_pairs = false;         // two batches arrive together
  bool runs_ahead = false;       // the host never waits for a result
  bool is_inference = false;     // forward passes only
  // Ranges inside steps.
  bool has_phases = false;      // "forward", "backward", "optimizer"
  bool has_layers = false;      // "layer 0", "layer 1", ...
  bool has_blocks = false;      // "TransformerBlock" around each layer
  bool has_ops = false;         // "aten::linear, seq = 7", "LinearBackward0, seq = 7"
  bool has_fusions = false;     // nvFuser's, on the threads of forward and backward pass
  bool has_next_batch = false;  // "enumerate(DataLoader)#...__next__" before each step
  int64_t processes = 1;        // of one GPU each, with NCCL where there are several
  bool has_scheduler = false;   // a process without GPU, with a range for each step
  int64_t variants = 1;         // of the GEMM kernels, drawn by step: shapes vary
  // The capture begins or ends in the middle of a step.
  bool starts_inside = false, ends_inside = false;
};

// The right choice of iteration marker.
struct Label {
  // Range names without running numbers. If empty while `iterations` > 0, any marker is right.
  std::vector<std::string> markers;
  int64_t iterations = 0;  // 0: the capture should not be split
};

struct Program {
  Capture capture;
  Label label;
};

Program play(const Training& training);

}  // namespace dlview::generate::programs
