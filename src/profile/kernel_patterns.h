// What a kernel does, by its name. Each takes the short name or the demangled one and costs some
// microseconds.
#pragma once

#include <string_view>

namespace dlview::profile {

// Kernels that convert a tensor from one memory layout to another: "nchwToNhwcKernel",
// "foldedNhwcToNchwKernel", "SwapDimension1And2InTensor3UsingTiles" move channels before or behind
// height and width.
bool is_layout_transpose(std::string_view kernel_name);

// GEMMs and convolutions on CUDA cores, FP32 or wider: "volta_sgemm_128x64_nn",
// "cutlass_80_simt_sgemm_...", "implicit_convolve_sgemm", "convolveNd_dgrad_float_engine",
// "wgrad_alg0_engine". Tensor Cores could run them; other kernels without have no use for these.
bool is_product_on_cuda_cores(std::string_view kernel_name);

}  // namespace dlview::profile
