// The display name of a CUDA API call. The reports of nsys have their own rule.
#pragma once

#include <string_view>

namespace dlview::profile {

// Returns the name without the version that Nsight Systems exports append:
// "cudaLaunchKernel_v7000", "cudaGraphLaunch_v10000" and "cuMemcpyHtoD_v2" lose it.
std::string_view call_name(std::string_view name);

}  // namespace dlview::profile
