// The nn.Modules of a PyTorch trace with their calls, host time and GPU time: as a tree, by module
// and by class.
//
// A call is a frame "nn.Module: Linear_3" that begins in the range. Calls nest by time on their
// thread.
//   host total   durations of the calls; recursive calls count once
//   host self    the part outside the modules inside
//   forward      sum of the GPU activity launched by calls that begin in the module, without the
//                backward pass
//   backward     sum of the GPU activity launched by ops of the backward pass whose forward op
//                begins in the module, including recomputation
// GPU times include the modules inside. Kernels count in the iteration that launches them, if they
// match the filters. Filters do not change host times.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "profile/profile.h"

namespace dlview::aggregate {

struct ModuleTimes {
  int64_t calls = 0;
  int64_t ops = 0;  // calls of ops of the forward pass inside
  int64_t host_total_ns = 0, host_self_ns = 0;
  int64_t gpu_forward_ns = 0, gpu_backward_ns = 0;
  int64_t gpu_self_ns = 0;  // of both passes, without the modules inside
  int64_t gpu_total_ns() const { return gpu_forward_ns + gpu_backward_ns; }
  // Whether nothing of the row is in the range.
  bool is_empty() const { return *this == ModuleTimes{}; }
  bool operator==(const ModuleTimes&) const = default;
};

// Levels of the tree. Calls further inside count in the node of the last level that is around them,
// with their calls and self times: no model nests so deeply, but a damaged file may.
inline constexpr int64_t kMostModuleLevels = 256;

// Calls with the same name and the same names around them, over all threads.
struct ModuleNode {
  profile::StringId name = 0;             // "nn.Module: Linear_3"
  profile::Row parent = profile::kNoRow;  // an earlier node
  int64_t depth = 0;                      // 0 = outermost
  ModuleTimes times;
  bool operator==(const ModuleNode&) const = default;
};

// The modules with the same name or class.
struct ModuleSum {
  std::string_view name;  // "Linear_3" or "Linear"; a text of the profile
  ModuleTimes times;
  bool operator==(const ModuleSum&) const = default;
};

struct Modules {
  std::vector<ModuleNode> nodes;  // of the range; a parent precedes its children
  std::vector<ModuleSum> by_name, by_class;
};

// "nn.Module: Linear_3" -> "Linear_3"
std::string_view name_of_module(std::string_view frame);
// "Linear_3" -> "Linear"
std::string_view class_of_module(std::string_view name);

// Whether the trace has module frames.
bool has_modules(const profile::Profile& profile);

// Empty without module frames. The aggregation belongs to the profile. O(n log n).
Modules add_up_modules(const profile::Profile& profile, const Aggregation& aggregation);

}  // namespace dlview::aggregate
