// The ops and annotations of a PyTorch trace at every nesting level, as in PyTorch's TensorBoard
// plugin. Profile::ops has only the outermost ones.
//
//   calls        events that begin in the range
//   host total   their durations; recursive calls count once
//   host self    durations minus those of the events directly inside
//   calls self   sum of the CUDA API calls that begin directly in them
//   GPU self     sum of the GPU activity launched directly in them
//   GPU total    the same including the events inside; each activity counts once per row
// A row is a name, a name with its input shapes or its call stack, or a place in the tree of calls.
// GPU activity belongs to the innermost event open on the launching thread when the launching call
// begins. It counts in the iteration that launches it, if it matches the filters. Filters do not
// change host times.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/op_stacks.h"
#include "profile/profile.h"

namespace dlview::aggregate {

struct OperatorTimes {
  int64_t calls = 0;
  int64_t host_total_ns = 0, host_self_ns = 0, call_self_ns = 0;
  int64_t gpu_total_ns = 0, gpu_self_ns = 0;
  int64_t tensor_core_total_ns = 0, tensor_core_self_ns = 0;  // kernels that use them
  int64_t unknown_use_total_ns = 0, unknown_use_self_ns = 0;  // kernels that may use them
  bool is_empty() const { return *this == OperatorTimes{}; }
  bool operator==(const OperatorTimes&) const = default;
};

struct Operator {
  profile::StringId name = 0;
  profile::StringId input_shapes =
      profile::kNoText;              // JSON; kNoText = not recorded, or not by them
  uint32_t stack = OpStacks::kNone;  // kNone = not recorded, or not by stack
  bool is_op = false;                // else an annotation
  bool is_eligible = false;          // its type can use Tensor Cores
  OperatorTimes times;
  bool operator==(const Operator&) const = default;
};

enum class OperatorsBy : uint8_t { name, name_and_shapes };

// In order of their first events. Empty for a trace of another profiler. The aggregation belongs to
// the profile. O(n log n).
std::vector<Operator> add_up_operators(const profile::Profile& profile,
                                       const Aggregation& aggregation,
                                       OperatorsBy by = OperatorsBy::name);
// By name and call stack; Operator::stack is a number of `stacks`.
std::vector<Operator> add_up_operators(const profile::Profile& profile,
                                       const Aggregation& aggregation, OpStacks& stacks);

// Levels of the tree. Events further inside count in the node of the last level that is around
// them, with their calls and self times: no model nests so deeply, but a damaged file may.
inline constexpr int64_t kMostOperatorLevels = 256;

// Events with one name and the same names around them, of all threads. A ProfilerStep#N is around
// all ops of an iteration: it is no node, so that iterations add up.
struct OperatorNode {
  profile::StringId name = 0;
  profile::Row parent = profile::kNoRow;  // an earlier node
  int64_t depth = 0;                      // 0 = no event is around it
  bool is_op = false;
  bool is_eligible = false;
  OperatorTimes times;
  bool operator==(const OperatorNode&) const = default;
};

// A parent precedes its children.
std::vector<OperatorNode> add_up_operator_tree(const profile::Profile& profile,
                                               const Aggregation& aggregation);

}  // namespace dlview::aggregate
