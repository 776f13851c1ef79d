#include "profile/tensor_core_rules.h"

#include <array>

#include "profile/pattern_list.h"

namespace dlview::profile {
namespace {

constexpr std::array kRules{
    // A graph that was traced as a whole (import/capture/ops.cpp names it).
    TensorCoreRule{"whole CUDA graph", R"re(^CUDA graph( \d+)?, traced as a whole$)re",
                   TensorCoreUse::unknown},
    // Its names are chains of the ops in them and a hash of eight digits, which may look like
    // shapes.
    TensorCoreRule{"Triton", R"re(^(void )?triton_)re", TensorCoreUse::unknown},
    // Kernels that prepare or finish a product, or add up its parts, under the product's name. In
    // captures of an A100 the stages of strided_dgrad_indexed run with one thread, or without a
    // tile in shared memory; a split-k kernel follows its product with less shared memory and at
    // most a twentieth of its time. The others are named after what they do.
    TensorCoreRule{"helper",
                   R"re(::kernel_helper_stage_\d|_execute_split_k_kernel|)re"
                   R"re(flash_\w*(convert_d|clear_dkvaccum|splitkv_combine))re",
                   TensorCoreUse::no},
    // The sums of dO * O over the head: an element-wise product by its formula, but nothing in the
    // name or in a capture at hand tells how it is computed.
    TensorCoreRule{"attention helper", R"re(dot_do_o)re", TensorCoreUse::unknown},
    // Matrix Cores are the Tensor Cores of AMD. Tensile (rocBLAS, hipBLASLt) names the matrix
    // instruction (MI16x16x1) or, without one, the tile of a thread (TT8_8). MIOpen's gtcx and
    // Composable Kernel's xdl stand for these instructions. The other rules would take "Bias" in
    // such a name for an element-wise kernel.
    TensorCoreRule{"AMD matrix instruction",
                   R"re((^|_)Cijk_.*_MI[1-9]\d*x\d|^igemm_\w*_gtcx|_xdl|Xdl|mfma)re",
                   TensorCoreUse::yes},
    TensorCoreRule{"AMD vector instruction", R"re((^|_)Cijk_.*(_TT\d|PostGSU|_GA(_|$)))re",
                   TensorCoreUse::no},
    TensorCoreRule{"AMD GEMM", R"re((^|_)Cijk_|^igemm_)re", TensorCoreUse::unknown},
    // What stands beside matrix products, and those that run on CUDA cores.
    TensorCoreRule{
        "CUDA cores",
        R"re(_ffma_|_simt_|pooling|OffsetsKernel|splitKreduce|ReduceSplitK|nchwToNhwc|)re"
        R"re(nhwcToNchw|reshape_and_cache|gemv|gemmSN|gemmk1|quantize_with|)re"
        R"re(finalizeKernel|reduce_wgrad|(^|_)g?[sdcz]gemm(\W|_|$)|scudnn_|[Ww]inograd|)re"
        R"re(fft2d|compute_gemm_pointers|flip_filter|im2col|fbgemm_gpu::)re",
        TensorCoreUse::no},
    // "s1688gemm", with a letter for the type or none. A digit or an x before it would be a part
    // of a tile's size.
    TensorCoreRule{"MMA shape",
                   R"re((^|[^0-9x])[hsicdbfz]?)re"
                   R"re((884|1688|16816|161616|16832|16864|8816|8832|168256))re"
                   R"re((gemm|cudnn|fprop|dgrad|wgrad|_))re",
                   TensorCoreUse::yes},
    TensorCoreRule{"MMA instruction",
                   R"re(tensorop|_tensor\d+x\d+x\d+|[hibdqw]mma|gmma|tcgen05|utcmma|)re"
                   R"re((^|[^a-z])umma)re",
                   TensorCoreUse::yes},
    TensorCoreRule{"library kernel",
                   R"re(nvjet_|sm(7|8|9|10|12)\d*_xmma_.*(gemm|fprop|dgrad|wgrad|conv))re",
                   TensorCoreUse::yes},
    TensorCoreRule{"fused attention", R"re(flash_(fwd|bwd)|fmha|sdpa)re", TensorCoreUse::yes},
    TensorCoreRule{"CUTLASS",
                   R"re(cutlass3x_sm|MainloopSm(90|100)|MmaTensorOp|OpClassTensorOp|)re"
                   R"re(ImplicitGemmMultistage|_sm(90|100|103|120)[af]?(\W|$))re",
                   TensorCoreUse::yes},
    // Code made for the model at hand, under names that tell nothing of its instructions.
    TensorCoreRule{"generated code", R"re(^kernel_cutlass_|cute_dsl|nvfuser_)re",
                   TensorCoreUse::unknown},
    // Known for other things, so that they raise no doubt in a convolution or a linear layer.
    TensorCoreRule{
        "element-wise or reduction",
        R"re(elementwise|reduce|softmax|SoftMax|[Nn]orm|bn_|[Cc]opy|fill|at::native::|)re"
        R"re(cub::|thrust::|transpose|[Bb]ias|[Mm]emset|SubTensorOp|OpTensor)re",
        TensorCoreUse::no},
    // Whichever op they are of: a graph or a program of its own launches them outside of any.
    TensorCoreRule{"GEMM or attention",
                   R"re([Mm]at_?[Mm]ul|MATMUL|[Gg]emm|GEMM|bmm|einsum|[Aa]ttn|[Aa]ttention)re",
                   TensorCoreUse::unknown},
};

}  // namespace

std::string_view to_text(TensorCoreUse use) {
  switch (use) {
    case TensorCoreUse::no:
      return "no";
    case TensorCoreUse::yes:
      return "yes";
    case TensorCoreUse::unknown:
      return "unknown";
  }
  return "";
}

std::span<const TensorCoreRule> tensor_core_rules() {
  return kRules;
}

std::string_view rule_text(const TensorCoreVerdict& verdict) {
  return verdict.rule.empty() ? kNoRule : verdict.rule;
}

TensorCoreVerdict tensor_core_use(std::string_view kernel_name,
                                  std::optional<ComputeCapability> capability,
                                  bool is_in_eligible_op) {
  if (capability && *capability < kFirstTensorCores) {
    return {TensorCoreUse::no, "GPU without Tensor Cores"};
  }
  static const PatternList patterns(kRules);
  const std::size_t rule = patterns.find_first(kernel_name);
  if (rule < kRules.size()) return {kRules[rule].use, kRules[rule].name};
  return {is_in_eligible_op ? TensorCoreUse::unknown : TensorCoreUse::no, ""};
}

}  // namespace dlview::profile
