#include "profile/eligible_ops.h"

#include <algorithm>
#include <array>

namespace dlview::profile {
namespace {

// GEMMs, convolutions, recurrent cells and attention. Element-wise ops that mixed precision also
// runs in 16 bits, such as prelu, are not listed.
constexpr auto kPytorch = std::to_array<std::string_view>({
    "AddbmmBackward",
    "AddmmBackward",
    "AddmvBackward",
    "BaddbmmBackward",
    "BmmBackward",
    "ConvolutionBackward",
    "CudnnConvolutionBackward",
    "CudnnConvolutionTransposeBackward",
    "CudnnRnnBackward",
    "FlashAttnFunc",
    "FlashAttnFuncBackward",
    "LinearBackward",
    "MmBackward",
    "MvBackward",
    "ScaledDotProductCudnnAttentionBackward",
    "ScaledDotProductEfficientAttentionBackward",
    "ScaledDotProductFlashAttentionBackward",
    "_GroupedLinear",
    "_GroupedLinearBackward",
    "_LayerNormLinear",
    "_LayerNormLinearBackward",
    "_LayerNormMLP",
    "_LayerNormMLPBackward",
    "_Linear",
    "_LinearBackward",
    "_addmm_activation",
    "_convolution",
    "_convolution_nogroup",
    "_efficient_attention_backward",
    "_efficient_attention_forward",
    "_flash_attention_backward",
    "_flash_attention_forward",
    "_grouped_mm",
    "_scaled_dot_product_attention_math",
    "_scaled_dot_product_cudnn_attention",
    "_scaled_dot_product_cudnn_attention_backward",
    "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_efficient_attention_backward",
    "_scaled_dot_product_flash_attention",
    "_scaled_dot_product_flash_attention_backward",
    "_scaled_grouped_mm",
    "_scaled_mm",
    "_thnn_fused_gru_cell",
    "_thnn_fused_lstm_cell",
    "addbmm",
    "addmm",
    "addmv",
    "addr",
    "baddbmm",
    "bmm",
    "chain_matmul",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "convolution",
    "convolution_backward",
    "cudnn_convolution",
    "cudnn_convolution_backward",
    "cudnn_convolution_transpose",
    "cudnn_convolution_transpose_backward",
    "einsum",
    "flash_attn::_flash_attn_backward",
    "flash_attn::_flash_attn_forward",
    "gru",
    "gru_cell",
    "linalg_multi_dot",
    "linear",
    "lstm",
    "lstm_cell",
    "matmul",
    "miopen_convolution",
    "miopen_convolution_transpose",
    "mm",
    "mv",
    "rnn_relu_cell",
    "rnn_tanh_cell",
    "scaled_dot_product_attention",
});
static_assert(std::ranges::is_sorted(kPytorch));

// Depthwise convolutions use no Tensor Cores.
constexpr auto kTensorflow = std::to_array<std::string_view>({
    "BatchMatMul",
    "BatchMatMulV2",
    "BatchMatMulV3",
    "BlockLSTM",
    "BlockLSTMGrad",
    "BlockLSTMGradV2",
    "BlockLSTMV2",
    "Conv2D",
    "Conv2DBackpropFilter",
    "Conv2DBackpropInput",
    "Conv3D",
    "Conv3DBackpropFilter",
    "Conv3DBackpropFilterV2",
    "Conv3DBackpropInput",
    "Conv3DBackpropInputV2",
    "CudnnRNN",
    "CudnnRNNBackprop",
    "CudnnRNNBackpropV2",
    "CudnnRNNBackpropV3",
    "CudnnRNNV2",
    "CudnnRNNV3",
    "Einsum",
    "GRUBlockCell",
    "GRUBlockCellGrad",
    "LSTMBlockCell",
    "LSTMBlockCellGrad",
    "MatMul",
});
static_assert(std::ranges::is_sorted(kTensorflow));

// GEMMs and attention of libraries that serve models. Their names carry data types and versions
// ("aiter::gemm_a16w16", "vllm::unified_attention_with_output"), so that a part of them decides.
struct LibraryOps {
  std::string_view library;  // begins the name
  std::string_view part;     // of the rest
};
constexpr auto kLibraryOps = std::to_array<LibraryOps>({
    {"_C::", "gemm"},
    {"_C::", "scaled_mm"},
    {"aiter::", "gemm"},
    {"aiter::", "attention"},
    {"aiter::", "flash_attn"},
    {"aiter::", "fmha"},
    {"aiter::", "mha_"},
    {"vllm::", "gemm"},
    {"vllm::", "unified_attention"},
});

bool is_library_op(std::string_view name) {
  return std::ranges::any_of(kLibraryOps, [name](const LibraryOps& ops) {
    return name.starts_with(ops.library) &&
           name.find(ops.part, ops.library.size()) != std::string_view::npos;
  });
}

constexpr std::array<EligibleOpTypes, 2> kTypes{
    {{Framework::pytorch, kPytorch}, {Framework::tensorflow, kTensorflow}}};

// Without the namespace of PyTorch's own ops and the number of an autograd function's version:
// "aten::mm" is "mm", "MmBackward0" is "MmBackward".
std::string_view bare_type(std::string_view type) {
  constexpr std::string_view kAten = "aten::", kBackward = "Backward";
  if (type.starts_with(kAten)) type.remove_prefix(kAten.size());
  const std::size_t last_letter = type.find_last_not_of("0123456789");
  const std::string_view unnumbered = type.substr(0, last_letter + 1);
  return unnumbered.ends_with(kBackward) ? unnumbered : type;
}

}  // namespace

std::span<const EligibleOpTypes> eligible_op_types() {
  return kTypes;
}

bool is_eligible_op_type(std::string_view op_type) {
  const std::string_view type = bare_type(op_type);
  return is_library_op(op_type) ||
         std::ranges::any_of(kTypes, [type](const EligibleOpTypes& known) {
           return std::ranges::binary_search(known.types, type);
         });
}

}  // namespace dlview::profile
