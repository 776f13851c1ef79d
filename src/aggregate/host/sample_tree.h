// SampleTree: the functions that CPU samples of a thread had on their call stacks, callers above
// what they called. Functions that only pass work on are left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregate/host/host_record.h"

namespace dlview::aggregate {

struct SampleTree {
  struct Node {
    std::size_t parent = kNone;  // an earlier node
    profile::StringId function = profile::kNoText, module = profile::kNoText;
    int64_t samples = 0;  // with the function on their call stack, here
    std::size_t depth = 0;
  };
  static constexpr std::size_t kNone = SIZE_MAX;
  std::vector<Node> nodes;  // of one parent the one with the most samples first
  int64_t samples = 0;      // all, also those without a call stack
};

SampleTree sample_tree(const profile::Profile& profile, const HostRecord& record,
                       const HostThread& thread, const base::Interval& window);

// CPU samples of a thread by function and by call stack, all frames as recorded. Weights are CPU
// cycles; where none was counted, each sample weighs 1.
struct SampledFunction {
  profile::StringId function = profile::kNoText, module = profile::kNoText;
  int64_t self = 0, total = 0;  // weight with it innermost, and anywhere on the stack
  int64_t samples = 0;          // with it on the stack
};
// Largest total first. O(distinct stacks * depth).
std::vector<SampledFunction> sampled_functions(const profile::Profile& profile,
                                               const HostRecord& record, const HostThread& thread,
                                               const base::Interval& window);

struct SampledStack {
  profile::FrameIndex frame;  // the innermost; kNoRow = no call stack
  int64_t weight = 0, samples = 0;
};
// Largest weight first.
std::vector<SampledStack> sampled_stacks(const profile::Profile& profile, const HostRecord& record,
                                         const HostThread& thread, const base::Interval& window);

// The function, or for a frame without symbol "[libc.so.6]" of its module, or "[unknown]".
std::string frame_text(const profile::Profile& profile, profile::StringId function,
                       profile::StringId module);

}  // namespace dlview::aggregate
