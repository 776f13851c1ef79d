// SampleTree: the functions that CPU samples of a thread had on their call stacks, callers above
// what they called. Functions that only pass work on are left out.
#pragma once

#include <cstdint>
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

}  // namespace dlview::aggregate
