// What an Nsight Systems export calls a CUDA API call, and how nsys shows it.
#pragma once

#include <string_view>

namespace dlview::profile {

// Without "_v" and exactly four digits at the end: "cudaLaunchKernel_v7000" loses its version and
// "cuMemcpyHtoD_v2" and "cudaGraphLaunch_v10000" do not.
std::string_view call_name(std::string_view name);

}  // namespace dlview::profile
