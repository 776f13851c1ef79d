// Classifies kernels by name. Each function takes the short or the demangled name and costs some
// microseconds.
#pragma once

#include <string_view>

namespace dlview::profile {

// Returns whether the kernel converts a tensor from one memory layout to another:
// "nchwToNhwcKernel", "foldedNhwcToNchwKernel", "SwapDimension1And2InTensor3UsingTiles" move
// channels before or after height and width.
bool is_layout_transpose(std::string_view kernel_name);

// The regular expression (RE2) of these names.
std::string_view layout_transpose_pattern();

// Returns whether the kernel is a GEMM or convolution on CUDA cores, FP32 or wider:
// "volta_sgemm_128x64_nn", "cutlass_80_simt_sgemm_...", "implicit_convolve_sgemm",
// "convolveNd_dgrad_float_engine", "wgrad_alg0_engine". Tensor Cores could run these; other kernels
// without Tensor Cores cannot use them.
bool is_product_on_cuda_cores(std::string_view kernel_name);

}  // namespace dlview::profile
