// Whether a kernel uses Tensor Cores, by its name: the one place that knows such names. A name
// proves nothing; counters would. So the answer may be "unknown", and it tells which rule gave it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace dlview::profile {

// Raised whenever a rule changes, so that two answers for one name can be told apart.
inline constexpr int kTensorCoreRulesVersion = 4;

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
  std::string_view rule;  // that decided; empty = no rule knows the name
};

struct ComputeCapability {
  int major = 0, minor = 0;
  auto operator<=>(const ComputeCapability&) const = default;
};
// Volta is the first generation with Tensor Cores.
inline constexpr ComputeCapability kFirstTensorCores{7, 0};

// What a kernel's name says: the demangled one if there is one, since "Kernel2" says nothing. A
// name that no rule knows is "no", and "unknown" in an op that could use Tensor Cores; without a
// compute capability the GPU is taken to have them. Costs some microseconds: call it once for each
// name.
TensorCoreVerdict tensor_core_use(std::string_view kernel_name,
                                  std::optional<ComputeCapability> capability,
                                  bool is_in_eligible_op);

}  // namespace dlview::profile
