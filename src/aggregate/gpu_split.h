// Iterations on the GPU's time: a boundary of the host moves to the end of the kernels launched
// before it (spec.md 92, 93), and the rule that chooses between both (94).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregate/iterations.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// The kernels that set boundaries: those of one process, or of all, that start after their op
// instance does. The launch of any other is not recorded.
class BoundaryKernels {
 public:
  // Costs a look at every kernel.
  BoundaryKernels(const profile::Profile& profile, std::optional<int64_t> process_id);

  const std::optional<int64_t>& process_id() const { return process_id_; }
  bool counts(profile::KernelIndex kernel) const { return marks_[kernel] != 0; }
  // Returns whether the kernel is on the main stream: the one whose such kernels have the largest
  // sum of durations.
  bool is_on_main_stream(profile::KernelIndex kernel) const { return marks_[kernel] == kMain; }

 private:
  static constexpr uint8_t kMain = 2;

  std::optional<int64_t> process_id_;
  std::vector<uint8_t> marks_;  // by kernel
};

// Replaces the times of iterations of a split by the host, from ranges or ops, by those of a split
// by the GPU. Does nothing if no kernel counts. Reads every kernel launched in them.
void split_by_gpu(const profile::Profile& profile, const BoundaryKernels& kernels,
                  Iterations& iterations);

// Returns the kernel time (a sum) of kernels launched in an iteration that passes outside its
// time.
int64_t kernel_time_elsewhere(const profile::Profile& profile, const Iteration& iteration);

// Returns the part, 0 to 1, of the kernel time (a sum) launched in iterations that passes
// outside the iteration that launched it; 0 without kernels.
double share_elsewhere(const profile::Profile& profile, const Iterations& iterations);

}  // namespace dlview::aggregate
