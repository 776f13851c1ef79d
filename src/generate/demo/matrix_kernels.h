// Kernels of convolutions and linear layers, most of them on Tensor Cores.
#pragma once

#include "generate/demo/layer_kernels.h"

namespace dlview::generate::demo {

// Half-precision layers use Tensor Cores, the others do not.
std::vector<KernelSpec> matrix_kernels(Platform platform, const Layer& layer, Direction direction);

}  // namespace dlview::generate::demo
