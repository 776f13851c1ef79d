// The nn.Modules of a PyTorch trace: how often each runs, its time on the host, and the GPU time
// that it causes, as a tree, by module and by class.
//
// An occurrence is a frame "nn.Module: Linear_3" that begins in the range; occurrences nest by
// time on their thread.
//   host total   durations of the occurrences; of those within each other the outermost
//   host self    the part in which no module inside runs
//   forward      sum of the GPU activity whose launching call begins in the module, but for that of
//                the backward pass
//   backward     sum of the GPU activity that ops of the backward pass launch whose forward op
//                begins in the module; what they compute again is part of it
// GPU times are in total: of the module and of those inside it. Kernels count in the iteration in
// which they are launched, and where they match the filters; host times do not depend on filters.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "profile/profile.h"

namespace dlview::aggregate {

struct ModuleTimes {
  int64_t calls = 0;
  int64_t ops = 0;  // calls of ops of the forward pass in it
  int64_t host_total_ns = 0, host_self_ns = 0;
  int64_t gpu_forward_ns = 0, gpu_backward_ns = 0;
  int64_t gpu_self_ns = 0;  // of both passes, without the modules inside
  int64_t gpu_total_ns() const { return gpu_forward_ns + gpu_backward_ns; }
  // Nothing of it is in the range.
  bool is_empty() const { return *this == ModuleTimes{}; }
  bool operator==(const ModuleTimes&) const = default;
};

// Occurrences with one name and the same names around them, of all threads.
struct ModuleNode {
  profile::StringId name = 0;             // "nn.Module: Linear_3"
  profile::Row parent = profile::kNoRow;  // an earlier node
  int64_t depth = 0;                      // 0 = no module is around it
  ModuleTimes times;
  bool operator==(const ModuleNode&) const = default;
};

// The modules of one name, or of one class.
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

// Whether the trace has frames of modules.
bool has_modules(const profile::Profile& profile);

// Empty without such frames. The aggregation is one of the profile. O(n log n).
Modules add_up_modules(const profile::Profile& profile, const Aggregation& aggregation);

}  // namespace dlview::aggregate
