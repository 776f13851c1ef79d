// Matrix products and convolutions that run on CUDA cores, by their names. What they could use
// Tensor Cores for is lost; other kernels without Tensor Cores have no use for them.
#pragma once

#include <string_view>

namespace dlview::profile {

// "volta_sgemm_128x64_nn", "cutlass_80_simt_sgemm_...", "implicit_convolve_sgemm",
// "convolveNd_dgrad_float_engine", "wgrad_alg0_engine": FP32, or wider, on CUDA cores. Takes the
// short name or the demangled one; costs some microseconds.
bool is_product_on_cuda_cores(std::string_view kernel_name);

}  // namespace dlview::profile
