// What a CUDA API call is called, wherever it is shown but in the reports of nsys, which have a
// rule of their own.
#pragma once

#include <string_view>

namespace dlview::profile {

// Without the version that an Nsight Systems export writes behind it: "cudaLaunchKernel_v7000",
// "cudaGraphLaunch_v10000" and "cuMemcpyHtoD_v2" lose it.
std::string_view call_name(std::string_view name);

}  // namespace dlview::profile
