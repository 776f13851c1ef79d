// The display names of CUDA API calls and of ranges. The reports of nsys have their own rule.
#pragma once

#include <string_view>

namespace dlview::profile {

// Returns the name without the version that Nsight Systems exports append:
// "cudaLaunchKernel_v7000", "cudaGraphLaunch_v10000" and "cuMemcpyHtoD_v2" lose it.
std::string_view call_name(std::string_view name);

// Returns the range's text without what PyTorch adds to it: "aten::mul, op_id = 12" is "aten::mul".
std::string_view bare_range_name(std::string_view text);

}  // namespace dlview::profile
