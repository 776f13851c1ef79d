// Python frames of a range added up, as a tree of call stacks and by function, as cProfile does it.
//
// Host times are those of the frames, cut to the host time of the range, whatever the filters:
//   total   of a stack or function: its frames; of a function's frames within each other the
//           outermost
//   self    the part in which no frame that it calls is open
// GPU time is that of the kernels of the range that match the filters, of each in full. A kernel
// belongs to the frame of the launching thread that is open at the start of the launching call:
// of several the one that began last. Self: of the kernels that belong to the frame; total: to it
// and to all that it calls. Kernels whose launch was not recorded, or that no frame launches,
// belong to none.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregate/aggregation.h"
#include "profile/profile.h"
#include "profile/python_frames.h"

namespace dlview::aggregate {

struct StackTimes {
  int64_t calls = 0;  // frames that are open at some time of the range
  int64_t host_total_ns = 0, host_self_ns = 0;
  int64_t gpu_total_ns = 0, gpu_self_ns = 0;
  bool operator==(const StackTimes&) const = default;
};

// Frames with the same name and the same frames around them, of all threads.
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
  // Leaves out frames that only pass a call on (profile::is_internal_frame); their time is that of
  // the frame around them.
  bool hides_internal = false;
};

// The aggregation is one of the profile, and the frames are those of its file.
PythonStacks add_up_stacks(const profile::Profile& profile, const Aggregation& aggregation,
                           const profile::PythonFrames& frames, const StackOptions& options = {});

}  // namespace dlview::aggregate
