// Which ops can use Tensor Cores: by their type, as DLProf decides it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace dlview::profile {

enum class Framework : uint8_t { pytorch, tensorflow };

struct EligibleOpTypes {
  Framework framework;
  std::span<const std::string_view> types;  // in order; without "aten::" and running numbers
};
std::span<const EligibleOpTypes> eligible_op_types();

// "conv2d", "aten::addmm", "CudnnConvolutionBackward0", "MatMul": types of either framework, as
// their profilers spell them. Of other libraries, names with the namespace: "aiter::gemm_a16w16".
bool is_eligible_op_type(std::string_view op_type);

}  // namespace dlview::profile
