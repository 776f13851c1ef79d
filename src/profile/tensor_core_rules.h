// Classifies kernels by name: does a kernel use Tensor Cores? Only this module has such names. A
// name is no proof; counters would be. So the answer may be "unknown", and it names the rule.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "profile/kinds.h"

namespace dlview::profile {

// Increases with each change of a rule, so that answers of different versions can be distinguished.
inline constexpr int kTensorCoreRulesVersion = 5;

enum class TensorCoreUse : uint8_t { no, yes, unknown };
std::string_view to_text(TensorCoreUse use);  // "yes"

struct TensorCoreRule {
  std::string_view name;     // "MMA shape"
  std::string_view pattern;  // RE2; what it is found in obeys the rule
  TensorCoreUse use;
};
// The first that matches decides.
std::span<const TensorCoreRule> tensor_core_rules();

struct TensorCoreVerdict {
  TensorCoreUse use = TensorCoreUse::no;
  std::string_view rule;  // that matched; empty = none
};

// Volta is the first generation with Tensor Cores.
inline constexpr ComputeCapability kFirstTensorCores{7, 0};

// Returns the rule as tables show it: kNoRule if none matched.
inline constexpr std::string_view kNoRule = "no match";
std::string_view rule_text(const TensorCoreVerdict& verdict);

// Classifies a kernel by its name, the demangled one if there is one: "Kernel2" alone has no
// information. A name without a matching rule is "no", or "unknown" in an op that could use Tensor
// Cores. Without a compute capability, the GPU is assumed to have Tensor Cores. Costs some
// microseconds: call it once for each name.
TensorCoreVerdict tensor_core_use(std::string_view kernel_name,
                                  std::optional<ComputeCapability> capability,
                                  bool is_in_eligible_op);

}  // namespace dlview::profile
