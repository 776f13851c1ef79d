// The layout of a convolution's input, from sizes and strides of the trace's JSON lists.
#pragma once

#include <string_view>

namespace dlview::import::pytorch {

// "aten::cudnn_convolution" has the type "cudnn_convolution"; "convert_element_type" is none.
bool is_convolution(std::string_view op_type);

// "N,C,H,W" or "N,H,W,C" (with D before H for five dimensions) of the first tensor of
// `[[32,3,224,224],[64,3,7,7]]`: the order in which its elements lie in memory, the innermost last.
// Sizes are in the order N, C, H, W either way. Dimensions of size 1 lie anywhere. Empty = not
// recorded, another order, or strides that fit both.
std::string_view layout_of(std::string_view dims, std::string_view strides);

}  // namespace dlview::import::pytorch
