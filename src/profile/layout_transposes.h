// Kernels that convert a tensor from one memory layout to another, by their names.
#pragma once

#include <string_view>

namespace dlview::profile {

// "nchwToNhwcKernel", "foldedNhwcToNchwKernel", "SwapDimension1And2InTensor3UsingTiles": they move
// channels before or behind height and width. Takes the short name or the demangled one.
bool is_layout_transpose(std::string_view kernel_name);

}  // namespace dlview::profile
