// Sums the Python frames of a range, as a tree of call stacks and by function, like cProfile.
//
// Host times are clipped to the host time of the range. Filters do not change them.
//   total   duration of the frames; recursive calls of a function count once
//   self    the part outside the frames that it calls
// GPU time is the sum of the kernels of the range that match the filters, each in full. A kernel
// belongs to the innermost frame open on the launching thread when the launching call starts.
// Self: the kernels of the frame. Total: also those of the frames that it calls. Kernels without a
// recorded launch, or launched outside all frames, count in none.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregate/aggregation.h"
#include "profile/profile.h"
#include "profile/python_frames.h"

namespace dlview::aggregate {

struct StackTimes {
  int64_t calls = 0;  // frames open at some time of the range
  int64_t host_total_ns = 0, host_self_ns = 0;
  int64_t gpu_total_ns = 0, gpu_self_ns = 0;
  bool operator==(const StackTimes&) const = default;
};

// Levels of the tree: Python stops at 1000 calls by default, each of which may go through a
// built-in function. Frames further inside count in the node of the last level that is around them,
// with their calls and self times. Functions have those of their own frames, however deep they are.
inline constexpr uint32_t kMostStackLevels = 1024;

// Frames with the same name and the same callers, over all threads.
struct StackNode {
  profile::StringId name = 0;             // in PythonFrames::names
  profile::Row caller = profile::kNoRow;  // an earlier node; kNoRow = outermost
  StackTimes times;
  bool operator==(const StackNode&) const = default;
};

// Frames with the same name.
struct StackFunction {
  profile::StringId name = 0;
  StackTimes times;
  bool operator==(const StackFunction&) const = default;
};

struct PythonStacks {
  std::vector<StackNode> nodes;
  std::vector<StackFunction> functions;  // in order of their first node
  bool operator==(const PythonStacks&) const = default;
};

struct StackOptions {
  // Leaves out frames that only forward a call (profile::is_internal_frame). Their time counts in
  // the frame around them.
  bool hides_internal = false;
};

// The aggregation belongs to the profile, and the frames to its file.
PythonStacks add_up_stacks(const profile::Profile& profile, const Aggregation& aggregation,
                           const profile::PythonFrames& frames, const StackOptions& options = {});

}  // namespace dlview::aggregate
