// What names of kernels and ops tell, on names from real captures.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "profile/communication.h"
#include "profile/eligible_ops.h"
#include "profile/pattern_list.h"
#include "profile/tensor_core_rules.h"

namespace dlview::profile {
namespace {

constexpr ComputeCapability kPascal{6, 1}, kVolta{7, 0}, kTuring{7, 5}, kH100{9, 0};

TensorCoreVerdict verdict(std::string_view name) {
  return tensor_core_use(name, kH100, false);
}

struct NameAndRule {
  std::string_view name, rule;
};

TEST(TensorCoreRules, KnowKernelsOfTensorCores) {
  for (const auto& [name, rule] : std::vector<NameAndRule>{
           {"volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", "MMA shape"},
           {"volta_s884cudnn_fp16_128x128_ldg8_relu_exp_interior_nhwc_tn_v1", "MMA shape"},
           {"cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4", "MMA shape"},
           {"turing_h1688gemm_256x128_ldg8_stages_32x1_tn", "MMA shape"},
           {"ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3_nn", "MMA shape"},
           {"void wmma_tensorop_s161616gemm_128x128", "MMA shape"},
           {"void gemm_hmma_kernel(half*)", "MMA instruction"},
           {"cutlass_tensorop_bf16_kernel", "MMA instruction"},
           {"sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw",
            "library kernel"},
           {"nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN", "library kernel"},
           {"void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128>>",
            "fused attention"},
           {"fmhaSm100aKernel_QkvBfloat16OBfloat16H128", "fused attention"},
           {"cutlass3x_sm90_something", "CUTLASS"},
           {"bmm_E4m3_E4m3_Fp32_t128x8x128_sm100f", "CUTLASS"},
       }) {
    EXPECT_EQ(verdict(name).use, TensorCoreUse::yes) << name;
    EXPECT_EQ(verdict(name).rule, rule) << name;
  }
}

TEST(TensorCoreRules, KnowKernelsOfCudaCores) {
  for (const std::string_view name : {
           "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_"
           "aligna4_alignc4_execute_kernel__5x_cublas",
           "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nt_align1>(T1::Params)",
           "cudnn::gemm::computeOffsetsKernel(cudnn::gemm::ComputeOffsetsParams)",
           "nchwToNhwcKernel",
           "void cudnn::bn_fw_inf_1C11_kernel_NCHW<float, float>",
           "void cudnn::detail::explicit_convolve_sgemm<float, int, (int)128>",
           "volta_cgemm_32x64_tn",
           "volta_gcgemm_32x32_nt",
           "ampere_sgemm_128x64_tn",
           "void fft2d_r2c_32x32<float, (bool)0, (unsigned int)0, (bool)0>",
           "volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1",
           "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16>",
           "void splitKreduce_kernel<float, float, float>",
       }) {
    const TensorCoreVerdict in_convolution = tensor_core_use(name, kTuring, true);
    EXPECT_EQ(in_convolution.use, TensorCoreUse::no) << name;
    EXPECT_FALSE(in_convolution.rule.empty()) << name;
  }
}

TEST(TensorCoreRules, KnowMatrixCoresOfAmd) {
  const std::string tensile = "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x128x64_";
  for (const std::string& name :
       {tensile + "MI16x16x1_SN_LDSB1_ISA942", "Custom_" + tensile + "MI32x32x8x1_SE",
        std::string("igemm_wrw_gtcx3_nhwc_bf16_bx0_ex1_bt64x256x32_wt32x32x8"),
        std::string("_ZN2ck12_GLOBAL__N_139kernel_grouped_conv_fwd_xdl_cshuffle_v3INS_34Gridwise"),
        std::string("void ck::kernel_gemm_xdlops_v2r3<ck::GridwiseGemm>"),
        std::string("paged_attention_ll4mi_QKV_mfma16_kernel")}) {
    const TensorCoreVerdict on_amd = tensor_core_use(name, std::nullopt, true);
    EXPECT_EQ(on_amd.use, TensorCoreUse::yes) << name;
    EXPECT_EQ(on_amd.rule, "AMD matrix instruction") << name;
  }
  for (const std::string& name :
       {std::string("Cijk_Ailk_Bljk_SB_MT64x64x8_SE_APM1_TT8_8_WG8_8_1_Bias"),
        std::string("Cijk_SB_PostGSU8"), std::string("Cijk_S_GA"),
        std::string("SubTensorOpWithScalar1d")}) {
    EXPECT_EQ(tensor_core_use(name, std::nullopt, true).use, TensorCoreUse::no) << name;
  }
  for (const char* name : {"Cijk_Ailk_Bljk_SB_Bias_MI0x0", "igemm_fwd_gtcn2_nchwc_fp16"}) {
    EXPECT_EQ(tensor_core_use(name, std::nullopt, false).use, TensorCoreUse::unknown) << name;
  }
}

TEST(TensorCoreRules, LeaveUnknownProductsOpenInAnyOp) {
  for (const char* name : {"_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1", "attn_fwd",
                           "kernel_unified_attention_3d", "my_gemm", "batched_bmm_kernel"}) {
    EXPECT_EQ(tensor_core_use(name, std::nullopt, false).rule, "GEMM or attention") << name;
    EXPECT_EQ(tensor_core_use(name, std::nullopt, false).use, TensorCoreUse::unknown) << name;
  }
  EXPECT_EQ(verdict("void at::native::conv_depthwise2d_forward_kernel").use, TensorCoreUse::no);
  EXPECT_EQ(verdict("rotary_embedding_kernel").use, TensorCoreUse::no);
}

// What prepares or finishes a product bears the product's name, and runs on CUDA cores.
TEST(TensorCoreRules, TellHelpersFromTheProducts) {
  const std::string wgrad =
      "sm80_xmma_wgrad_implicit_gemm_indexed_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x64x32_"
      "stage5_warpsize2x2x1_g1_tensor16x8x16_execute";
  const std::string dgrad = "void xmma_cudnn::implicit_gemm::strided_dgrad_indexed::kernel";
  const std::string traits = "<xmma_cudnn::Ampere_hmma_tf32_traits<unsigned int, float>>";
  for (const std::string& name :
       {wgrad + "_split_k_kernel_cudnn", dgrad + "_helper_stage_0" + traits,
        dgrad + "_helper_stage_3" + traits,
        std::string("void flash_bwd_convert_dq_kernel<Flash_bwd_kernel_traits<128>>"),
        std::string("void flash_bwd_clear_dkvaccum_kernel<Flash_bwd_kernel_traits<128>>"),
        std::string("void flash::flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<64>>"),
        std::string("void cutlass::Kernel2<cutlass::reduction::kernel::ReduceSplitK<float>>")}) {
    EXPECT_EQ(tensor_core_use(name, kH100, true).use, TensorCoreUse::no) << name;
  }
  for (const std::string& name :
       {wgrad + "_kernel_cudnn", dgrad + traits,
        std::string("void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<64>>"),
        std::string("void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits>"),
        std::string("nvjet_hsh_64x32_64x16_4x1_v_bz_splitK_TNT"),
        std::string("cutlass_80_tensorop_s16816gemm_splitK_parallel_128x64")}) {
    EXPECT_EQ(verdict(name).use, TensorCoreUse::yes) << name;
  }
}

TEST(TensorCoreRules, LeaveAttentionHelpersOpen) {
  for (const std::string_view name : {"void fmha_bwd_dot_do_o_kernel<FMHA_kernel_traits<128>>",
                                      "void flash_bwd_dot_do_o_kernel<true, Flash_bwd_traits>"}) {
    EXPECT_EQ(verdict(name).use, TensorCoreUse::unknown) << name;
    EXPECT_EQ(verdict(name).rule, "attention helper") << name;
  }
}

TEST(TensorCoreRules, TakeNoTileSizeForAnMmaShape) {
  EXPECT_EQ(verdict("kernel_256x1688gemm").rule, "GEMM or attention");
  EXPECT_EQ(verdict("kernel_18816gemm").rule, "GEMM or attention");
}

TEST(TensorCoreRules, LeaveGeneratedCodeOpen) {
  EXPECT_EQ(verdict("triton_red_fused_add_mm_3").use, TensorCoreUse::unknown);
  EXPECT_EQ(verdict("void triton_poi_fused_add_884_0d1d2d").rule, "Triton");
  EXPECT_EQ(verdict("triton_per_fused_reduce_wgrad_2").use, TensorCoreUse::unknown);
  EXPECT_EQ(verdict("<unnamed>::nvfuser_none_f0_c0_r0_g0").use, TensorCoreUse::unknown);
}

TEST(TensorCoreRules, LeaveNamesUnknownIfTensorCoresAreLikely) {
  EXPECT_EQ(tensor_core_use("my_kernel", kH100, false).use, TensorCoreUse::no);
  EXPECT_EQ(tensor_core_use("my_kernel", kH100, true).use, TensorCoreUse::unknown);
  EXPECT_EQ(tensor_core_use("void at::native::elementwise_kernel<(int)128>", kH100, true).use,
            TensorCoreUse::no);
}

TEST(TensorCoreRules, FindNoTensorCoresBeforeVolta) {
  const std::string_view name = "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn";
  EXPECT_EQ(tensor_core_use(name, kPascal, true).use, TensorCoreUse::no);
  EXPECT_EQ(tensor_core_use(name, kVolta, true).use, TensorCoreUse::yes);
  EXPECT_EQ(tensor_core_use(name, std::nullopt, true).use, TensorCoreUse::yes);
}

TEST(TensorCoreRules, MatchInOnePassAsOneByOne) {
  const PatternList patterns(tensor_core_rules());
  const std::vector<std::string_view> pieces{
      "Cijk_",        "_MI16x16",    "_TT8",    "gemm",   "h",
      "16816",        "x",           "_sm90",   "flash_", "fwd",
      "at::native::", "elementwise", "triton_", "void ",  "Bias",
      "_xdl",         "mma",         "_",       "<",      "kernel",
      "sgemm",        "nvjet_"};
  std::mt19937_64 random(11);
  std::set<std::size_t> found;
  for (int i = 0; i < 20'000; ++i) {
    std::string name;
    for (uint64_t k = random() % 6 + 1; k > 0; --k) name += pieces[random() % pieces.size()];
    const std::size_t row = patterns.find_first(name);
    ASSERT_EQ(row, patterns.find_one_by_one(name)) << name;
    found.insert(row);
  }
  EXPECT_GT(found.size(), 10U);
}

TEST(TensorCoreRules, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const TensorCoreRule& rule : tensor_core_rules()) names.insert(rule.name);
  EXPECT_EQ(names.size(), tensor_core_rules().size());
}

TEST(EligibleOps, AreGemmsConvolutionsAndAttention) {
  for (const std::string_view type :
       {"conv2d", "linear", "MatMul", "aten::addmm", "aten::cudnn_convolution", "MmBackward0",
        "ConvolutionBackward0", "aten::_scaled_dot_product_flash_attention", "BatchMatMulV2"}) {
    EXPECT_TRUE(is_eligible_op_type(type)) << type;
  }
  for (const std::string_view type : {"max_pool2d", "relu", "flatten", "randn", "uniform_", "cuda",
                                      "aten::add", "AddBackward0", "DepthwiseConv2dNative", ""}) {
    EXPECT_FALSE(is_eligible_op_type(type)) << type;
  }
}

TEST(EligibleOps, IncludeThoseOfServingLibraries) {
  for (const std::string_view type :
       {"aten::_scaled_mm", "aten::scaled_dot_product_attention", "aten::miopen_convolution",
        "aten::_scaled_dot_product_efficient_attention",
        "aten::_scaled_dot_product_cudnn_attention", "vllm::unified_attention",
        "vllm::unified_attention_with_output", "vllm::rocm_unquantized_gemm",
        "_C::cutlass_scaled_mm", "_C::gptq_gemm", "_C::marlin_gemm_moe", "aiter::gemm_a16w16",
        "aiter::mha_batch_prefill", "aiter::fmha_v3_fwd", "flash_attn::_flash_attn_forward"}) {
    EXPECT_TRUE(is_eligible_op_type(type)) << type;
  }
  for (const std::string_view type :
       {"aten::miopen_batch_norm", "aten::_scaled_mm_out_dtype", "vllm::unified_kv_cache_update",
        "vllm::all_reduce", "_C::rms_norm", "_C::silu_and_mul", "_C_cache_ops::gemm",
        "aiter::rmsnorm", "aiter::add_rmsnorm", "aiter::", "gemm_a16w16", "my_aiter::gemm",
        "flash_attn::rotary"}) {
    EXPECT_FALSE(is_eligible_op_type(type)) << type;
  }
}

TEST(EligibleOps, AreListedForEachFrameworkOnce) {
  std::set<std::string_view> types;
  std::size_t count = 0;
  for (const EligibleOpTypes& of_framework : eligible_op_types()) {
    types.insert(of_framework.types.begin(), of_framework.types.end());
    count += of_framework.types.size();
  }
  EXPECT_EQ(types.size(), count);
}

struct NameAndCommunication {
  std::string_view name;
  Communication communication;
};

TEST(CommunicationKernels, AreKnownWithTheirCollective) {
  for (const auto& [name, expected] : std::vector<NameAndCommunication>{
           {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
            {"NCCL", Collective::all_reduce}},
           {"ncclDevKernel_SendRecv", {"NCCL", Collective::send_recv}},
           {"ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)",
            {"NCCL", Collective::all_gather}},
           {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", {"NCCL", Collective::reduce_scatter}},
           {"ncclDevKernel_Reduce_Sum_f32_RING_LL", {"NCCL", Collective::reduce}},
           {"ncclKernel_Broadcast_RING_LL_Sum_int8_t", {"NCCL", Collective::broadcast}},
           {"ncclAllReduceRingLLKernel_sum_f32(ncclColl)", {"NCCL", Collective::all_reduce}},
           {"ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)",
            {"NCCL", Collective::other}},
           {"nvshmemi_init_array_kernel(int*)", {"NVSHMEM", Collective::other}},
           {"void tensorrt_llm::kernels::oneShotAllReduceKernel<__half, 8>",
            {"TensorRT-LLM", Collective::all_reduce}},
           {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>",
            {"vLLM", Collective::all_reduce}},
           {"void multimem_all_reduce_kernel<c10::BFloat16>", {"PyTorch", Collective::all_reduce}},
       }) {
    EXPECT_EQ(communication_of(name), expected) << name;
  }
  for (const std::string_view name :
       {"void at::native::reduce_kernel<512, 1>", "ampere_sgemm_128x64_tn",
        "void at::native::broadcast_gradient_kernel"}) {
    EXPECT_EQ(communication_of(name), std::nullopt) << name;
  }
  EXPECT_EQ(to_text(Collective::all_reduce), "AllReduce");
  EXPECT_EQ(to_text(Collective::other), "communication");
  EXPECT_EQ(to_text(Communication{"NCCL", Collective::all_reduce}), "NCCL AllReduce");
  EXPECT_EQ(to_text(Communication{"NVSHMEM", Collective::other}), "NVSHMEM");
}

}  // namespace
}  // namespace dlview::profile
