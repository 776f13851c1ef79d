// The kernels that a layer launches on a GPU of a certain generation, with names composed after the
// conventions of cuDNN, cuBLAS, CUTLASS, PyTorch, TensorFlow and NCCL, and times from the work that
// they do.
#pragma once

#include <vector>

#include "generate/demo/layers.h"
#include "generate/demo/op_spec.h"

namespace dlview::generate::demo {

// The library that runs what cuDNN and cuBLAS do not, and with it the generation of the demo's GPU.
enum class Platform { pytorch_on_ampere, tensorflow_on_volta };

enum class Direction { forward, data_gradient, weight_gradient };

// Empty where a layer has nothing to do in a direction. Layers without weights do all of their
// backward work as data_gradient.
std::vector<KernelSpec> layer_kernels(Platform platform, const Layer& layer, Direction direction);

// Parts of a step that are no layer's.
KernelSpec optimizer_kernel(Platform platform, int number);
KernelSpec all_reduce_kernel(int64_t bytes);
KernelSpec random_fill_kernel();

}  // namespace dlview::generate::demo
