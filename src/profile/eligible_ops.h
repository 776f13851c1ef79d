// Which ops can use Tensor Cores: by their type, as DLProf decides it, and by their data, which
// depends on the GPU.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "profile/tensor_core_rules.h"

namespace dlview::profile {

enum class Framework : uint8_t { pytorch, tensorflow };

struct EligibleOpTypes {
  Framework framework;
  std::span<const std::string_view> types;  // in order; without "aten::" and running numbers
};
std::span<const EligibleOpTypes> eligible_op_types();

// "conv2d", "aten::addmm", "CudnnConvolutionBackward0", "MatMul": types of either framework, as
// their profilers spell them.
bool is_eligible_op_type(std::string_view op_type);

// Whether Tensor Cores of this generation multiply such numbers: FP32 too from compute capability
// 8.0 on, as TF32. Nothing for a type that is not known, such as "".
std::optional<bool> is_eligible_data_type(std::string_view data_type, ComputeCapability capability);

}  // namespace dlview::profile
