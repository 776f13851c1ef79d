// What takes a look at all kernels or API calls to know of a selected event. Found once when it is
// selected, in the background where there are many, whatever the range and the filters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "profile/profile.h"
#include "timeline/lanes.h"

namespace dlview::ui {

// Kernels of the same full name in the range, and which of them by its duration.
struct SameName {
  int64_t count = 0, rank = 0;  // 0 = it is not in the range itself
};

// What a thread launched within a time, each with its whole API call in it.
struct LaunchedWork {
  int64_t kernels = 0;
  int64_t kernel_ns = 0;  // of the GPUs, overlaps counted once
};

class SelectedEvent {
 public:
  SelectedEvent() = default;  // nothing is known yet
  SelectedEvent(const timeline::Lanes& lanes, const timeline::Place& place);

  bool is_known() const { return is_known_; }
  // Of a kernel or its launch the name of the API call; empty where it is not recorded.
  const std::string& launch_name() const { return launch_name_; }
  // Of a group of ops or an NVTX range.
  const LaunchedWork& launched() const { return launched_; }
  // Of a backward op the op that caused it; of an op the first backward op that it causes.
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
