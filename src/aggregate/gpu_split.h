// Iterations on the GPU's time: their boundaries move from the host's calls to the kernels that
// these launch (decisions.md 92, 93), and the rule that chooses between both (94).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregate/iterations.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// The kernels that tell when an iteration begins and ends: those of one process, or of all, that
// run behind the start of their op instance. Of any other the launch is not recorded.
class BoundaryKernels {
 public:
  // Looks at every kernel.
  BoundaryKernels(const profile::Profile& profile, std::optional<int64_t> process_id);

  const std::optional<int64_t>& process_id() const { return process_id_; }
  bool tells(profile::Row kernel) const { return marks_[kernel] != 0; }
  // Of the stream on which such kernels run for the longest time, a plain sum.
  bool is_on_main_stream(profile::Row kernel) const { return marks_[kernel] == kMain; }

 private:
  static constexpr uint8_t kMain = 2;

  std::optional<int64_t> process_id_;
  std::vector<uint8_t> marks_;  // by kernel
};

// Gives iterations of a split by the host, cut by ranges or else by ops, the times of a split by
// the GPU. Leaves them as they are where no kernel tells. Looks at every kernel launched in them.
void split_by_gpu(const profile::Profile& profile, CutKind kind, const BoundaryKernels& kernels,
                  Iterations& iterations);

// The kernel time, a plain sum, of kernels launched in an iteration that passes outside its time.
int64_t kernel_time_elsewhere(const profile::Profile& profile, const Iteration& iteration);

// The part of the kernel time, a plain sum, of kernels launched in iterations that runs outside the
// time of its own one; 0 where there is none.
double share_elsewhere(const profile::Profile& profile, const Iterations& iterations);

}  // namespace dlview::aggregate
