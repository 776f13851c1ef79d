// Facts of a selected event that need a pass over all kernels or API calls. Computed once when it
// is selected, in the background if there are many. Range and filters do not change them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "profile/profile.h"
#include "timeline/lanes.h"

namespace dlview::ui {

// The number of kernels of the same full name in the range, and its rank by duration.
struct SameName {
  int64_t count = 0, rank = 0;  // 0 = it is not in the range itself
};

// GPU activity that a thread launched within a time, by calls that lie wholly in it.
struct LaunchedWork {
  int64_t kernels = 0;
  int64_t kernel_ns = 0;  // of the GPUs, overlaps counted once
};

class SelectedEvent {
 public:
  SelectedEvent() = default;  // without an event
  SelectedEvent(const timeline::Lanes& lanes, const timeline::Place& place);

  bool is_known() const { return is_known_; }
  // The API call of a kernel or of its launch; empty if not recorded.
  const std::string& launch_name() const { return launch_name_; }
  // For a group of ops or an NVTX range.
  const LaunchedWork& launched() const { return launched_; }
  // The forward op of a backward op, or the first backward op of a forward op.
  std::optional<timeline::EventRef> other_pass() const { return other_pass_; }
  // Of a kernel.
  SameName same_name(const profile::Profile& profile,
                     const aggregate::Aggregation& aggregation) const;

 private:
  bool is_known_ = false;
  profile::KernelIndex kernel_;
  std::string launch_name_;
  LaunchedWork launched_;
  std::optional<timeline::EventRef> other_pass_;
  std::vector<profile::KernelIndex> same_name_;  // ascending
  std::vector<uint32_t> longer_;  // how many of those before each take longer; and of all
};

}  // namespace dlview::ui
