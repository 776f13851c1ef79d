// FLOP and bytes from shapes: worked examples, ops of real traces, near misses.

#include "aggregate/limits/op_work.h"

#include <cstdint>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/limits/expected_figures.h"
#include "aggregate/limits/gemm_tiles.h"
#include "aggregate/limits/residency.h"

namespace dlview::aggregate {
namespace {

using nlohmann::json;
using ::testing::Contains;
using testing::expected_figures;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kFigureTolerance;

OpWork aten(std::string_view name, std::string_view shapes, std::string_view values = "",
            std::string_view data_type = "bfloat16") {
  return work_of(
      {.name = name, .data_type = data_type, .input_shapes = shapes, .parameters = values});
}

OpWork dlprof(std::string_view type, std::string_view shapes, std::string_view output_shapes = "",
              bool is_backward = false) {
  return work_of({.name = type,
                  .is_backward = is_backward,
                  .data_type = "float32",
                  .input_shapes = shapes,
                  .output_shapes = output_shapes});
}

// GEMMs, a convolution and an attention of traces on H100, B200 and V100.
TEST(OpWork, ReproducesOpsOfRealTraces) {
  DLVIEW_REQUIRE_TEST_DATA();
  const std::map<std::string, OpWork> works{
      {"qwen-mm", aten("aten::mm", "[[8944,1024],[1024,2816]]")},
      {"qwen-addmm", aten("aten::addmm", "[[1024],[8944,1024],[1024,1024]]")},
      {"b200-addmm", aten("aten::addmm", "[[640],[888,2880],[2880,640]]")},
      {"b200-lmhead-bs1", aten("aten::mm", "[[1,2880],[2880,25136]]")},
      {"v100-conv1x1",
       aten("aten::cudnn_convolution", "[[32,256,14,14],[1024,256,1,1]]", "", "float32")},
      {"qwen-flash",
       aten("flash_attn::_flash_attn_forward", "[[16,559,16,64],[16,559,16,64],[16,559,16,64]]")}};
  int checked = 0;
  for (const json& op : expected_figures("kineto_ops")) {
    const std::string id = op["id"];
    const OpWork& work = works.at(id);
    EXPECT_EQ(work.flops, op["flops"].get<int64_t>()) << id;
    EXPECT_EQ(work.bytes, op["bytes"].get<int64_t>()) << id;
    ++checked;
  }
  EXPECT_EQ(checked, 6);
  EXPECT_THAT(works.at("v100-conv1x1").assumptions, Contains(HasSubstr("stride 1")));
  EXPECT_FALSE(works.at("v100-conv1x1").flops_exact);
  EXPECT_TRUE(works.at("qwen-mm").flops_exact);
}

// The seed's convolution: 3 x 3, stride 2, padding 1, with bias; the bias adds no multiply-add.
TEST(OpWork, SeedConvolutionComesOutCorrected) {
  const OpWork work = aten("aten::conv2d", "[[1,3,416,480],[16,3,3,3],[16],[],[],[],[]]",
                           R"(["","","","[2, 2]","[1, 1]","[1, 1]","1"])", "float32");
  EXPECT_EQ(work.flops, 43'130'880);
  EXPECT_EQ(work.bytes, 2'396'160 + 3'194'880 + 1'792);
  EXPECT_THAT(work.assumptions, IsEmpty());
  EXPECT_TRUE(work.flops_exact);
}

TEST(OpWork, SeedLinearLayersComeOut) {
  EXPECT_EQ(aten("aten::linear", "[[512,1024],[4096,1024]]").flops, 4'294'967'296);
  EXPECT_EQ(aten("aten::linear", "[[512,1024],[4096,1024]]").bytes, 13'631'488);
  EXPECT_EQ(aten("aten::linear", "[[1,1024],[4096,1024]]").flops, 8'388'608);
  EXPECT_EQ(aten("aten::linear", "[[1,1024],[4096,1024]]").bytes, 8'398'848);
}

TEST(OpWork, LinearTakesAllLeadingDimensions) {
  const OpWork work = aten("aten::linear", "[[2,3,8],[5,8],[5]]");
  EXPECT_EQ(work.gemm, (GemmShape{6, 5, 8, 1}));
  EXPECT_EQ(work.bytes, 2 * (48 + 40 + 30 + 5));
}

TEST(OpWork, MatmulBroadcasts) {
  EXPECT_EQ(aten("aten::matmul", "[[4,1,2,8],[3,8,5]]").flops, 2 * 12 * 2 * 8 * 5);
  EXPECT_EQ(aten("aten::matmul", "[[4,1,2,8],[3,8,5]]").bytes, 2 * (64 + 120 + 12 * 10));
  EXPECT_EQ(aten("aten::matmul", "[[8],[8,5]]").flops, 2 * 8 * 5);
  EXPECT_EQ(aten("aten::matmul", "[[7,8],[8]]").flops, 2 * 7 * 8);
  EXPECT_EQ(aten("aten::matmul", "[[8],[8]]").flops, 2 * 8);
  EXPECT_FALSE(aten("aten::matmul", "[[2,4,8],[3,8,5]]").flops);
}

TEST(OpWork, MatricesThatDoNotFitAreUnknown) {
  EXPECT_EQ(aten("aten::mm", "[[2,3],[4,5]]").why_unknown, "Sizes of the matrices do not match");
  EXPECT_EQ(aten("aten::bmm", "[[2,3],[3,4]]").flops, 2 * 2 * 3 * 4);
  EXPECT_FALSE(aten("aten::bmm", "[[2,3,4],[3,4,5]]").flops);
}

TEST(OpWork, ConvolutionKnowsGroupsAndDilation) {
  // Depthwise: each output channel has one input channel.
  const OpWork depthwise =
      aten("aten::convolution", "[[1,32,10,10],[32,1,3,3],[],[],[],[],[],[],[]]",
           R"(["","","","[1, 1]","[1, 1]","[1, 1]","False","[0, 0]","32"])");
  EXPECT_EQ(depthwise.flops, 2 * 32 * 100 * 9);
  EXPECT_FALSE(depthwise.gemm);
  const OpWork dilated = aten("aten::convolution", "[[1,8,10,10],[4,8,3,3],[],[],[],[],[],[],[]]",
                              R"(["","","","[1, 1]","[0, 0]","[2, 2]","False","[0, 0]","1"])");
  EXPECT_EQ(dilated.flops, 2 * 4 * 36 * 8 * 9);
  EXPECT_EQ(dilated.gemm, (GemmShape{36, 4, 72, 1}));
}

TEST(OpWork, OneStrideIsForAllDimensions) {
  const OpWork work = aten("aten::conv2d", "[[1,3,8,8],[4,3,2,2],[],[],[],[],[]]",
                           R"(["","","","[2]","[0]","[1]","1"])");
  EXPECT_EQ(work.flops, 2 * 4 * 16 * 3 * 4);
}

TEST(OpWork, TransposedConvolutionCountsItsInput) {
  const OpWork work = aten("aten::convolution", "[[1,16,4,4],[16,8,3,3],[],[],[],[],[],[],[]]",
                           R"(["","","","[2, 2]","[1, 1]","[1, 1]","True","[1, 1]","1"])");
  EXPECT_EQ(work.flops, 2 * 16 * 16 * 8 * 9);
}

// Sizes with output padding, groups behind it, and dilation last.
TEST(OpWork, TransposedConvolutionsHaveTheirOwnParameters) {
  const OpWork work = aten("aten::conv_transpose2d", "[[1,16,4,4],[16,8,3,3],[],[],[],[],[],[]]",
                           R"(["","","","[2, 2]","[1, 1]","[1, 1]","2","[1, 1]"])");
  EXPECT_EQ(work.flops, 2 * 16 * 16 * 8 * 9);
  // Input, weight, and 2 groups of 8 channels of 8 x 8.
  EXPECT_EQ(work.bytes, 2 * (16 * 16 + 16 * 8 * 9 + 16 * 64));
  const OpWork cudnn =
      aten("aten::cudnn_convolution_transpose", "[[1,16,4,4],[16,8,3,3],[],[],[],[],[]]",
           R"(["","","[1, 1]","[1, 1]","[2, 2]","[1, 1]","2"])");
  EXPECT_EQ(cudnn.bytes, work.bytes);
  EXPECT_EQ(cudnn.flops, work.flops);
}

TEST(OpWork, UnusableParametersAreUnknown) {
  const auto of = [](std::string_view groups, std::string_view dilation) {
    return aten(
        "aten::convolution", "[[1,16,4,4],[16,8,3,3],[],[],[],[],[],[],[]]",
        fmt::format(R"(["","","","[2, 2]","same","{}","True","[0, 0]","{}"])", dilation, groups));
  };
  EXPECT_TRUE(of("2", "[1, 1]").flops);
  for (const char* groups : {"[]", "0", "-1", "[1, 1]", "9223372036854775807"}) {
    EXPECT_FALSE(of(groups, "[1, 1]").flops) << groups;
  }
  EXPECT_FALSE(of("1", "[9223372036854775807, 1]").flops);
}

// Where the stride is assumed no FLOP are sure, and an unrecorded mask leaves half of them.
TEST(OpWork, AssumptionsLeaveALeastAmount) {
  const OpWork assumed = aten("aten::conv2d", "[[1,3,8,8],[4,3,2,2],[],[],[],[],[]]");
  EXPECT_EQ(assumed.flops, 2 * 4 * 49 * 3 * 4);
  EXPECT_EQ(assumed.flops_least, 0);
  EXPECT_EQ(assumed.bytes_least, 2 * 4 * 3 * 4);  // the weight
  const OpWork attention =
      aten("aten::scaled_dot_product_attention", "[[2,4,6,8],[2,4,6,8],[2,4,6,8],[],[],[]]");
  EXPECT_EQ(attention.flops_least, *attention.flops / 2);
  EXPECT_FALSE(attention.bytes_least);
  EXPECT_FALSE(aten("aten::mm", "[[2,3],[3,4]]").flops_least);
}

TEST(OpWork, ResultGivenAsInputIsOnlyWritten) {
  EXPECT_EQ(aten("aten::clamp_min", "[[1000],[],[1000]]").bytes, 2 * 2 * 1000);
  EXPECT_EQ(aten("aten::add", "[[1000],[1000],[],[1000]]").bytes, 3 * 2 * 1000);
  EXPECT_EQ(aten("aten::add", "[[1000],[1000],[]]").bytes, 3 * 2 * 1000);
  EXPECT_EQ(aten("aten::addcmul", "[[1000],[],[1000]]").bytes, 3 * 2 * 1000);
}

TEST(OpWork, MaskChoosesTheGradients) {
  const auto backward = [](std::string_view mask) {
    return aten(
        "aten::convolution_backward", "[[1,4,8,8],[1,3,10,10],[4,3,3,3],[],[],[],[],[],[],[],[]]",
        fmt::format(R"(["","","","[4]","[1, 1]","[0, 0]","[1, 1]","False","[0, 0]","1","{}"])",
                    mask));
  };
  constexpr int64_t kForward = 2 * 4 * 64 * 3 * 9;
  EXPECT_EQ(backward("[True, True, True]").flops, 2 * kForward);
  EXPECT_EQ(backward("[False, True, False]").flops, kForward);
  EXPECT_TRUE(backward("[False, True, False]").flops_exact);
  EXPECT_EQ(backward("").flops, 2 * kForward);
  EXPECT_FALSE(backward("").flops_exact);
}

TEST(OpWork, CausalAttentionKeepsHalfAndDiagonal) {
  const std::string shapes = "[[2,4,6,8],[2,4,6,8],[2,4,6,8],[],[],[]]";
  EXPECT_EQ(
      aten("aten::scaled_dot_product_attention", shapes, R"(["","","","","0.","False"])").flops,
      2 * 2 * 4 * 36 * 16);
  EXPECT_EQ(
      aten("aten::scaled_dot_product_attention", shapes, R"(["","","","","0.","True"])").flops,
      2 * 2 * 4 * 21 * 16);
  const OpWork unknown_mask = aten("aten::scaled_dot_product_attention", shapes);
  EXPECT_EQ(unknown_mask.flops, 2 * 2 * 4 * 36 * 16);
  EXPECT_FALSE(unknown_mask.flops_exact);
  EXPECT_THAT(unknown_mask.assumptions, Contains(HasSubstr("no causal mask")));
}

TEST(OpWork, CausalMaskBeginsAtTheFirstKey) {
  const auto of = [](std::string_view shapes) {
    return aten("aten::scaled_dot_product_attention", shapes, R"(["","","","","0.","True"])").flops;
  };
  // 1 + 2 + 3 pairs; 1 + 2 + 2 + 2 pairs.
  EXPECT_EQ(of("[[1,1,3,8],[1,1,5,8],[1,1,5,8],[],[],[]]"), 2 * 6 * 16);
  EXPECT_EQ(of("[[1,1,4,8],[1,1,2,8],[1,1,2,8],[],[],[]]"), 2 * 7 * 16);
}

// Grouped-query attention: fewer heads of keys and values.
TEST(OpWork, AttentionReadsFewerKeyHeads) {
  const OpWork work =
      aten("aten::scaled_dot_product_attention", "[[1,8,4,16],[1,2,4,16],[1,2,4,16],[],[],[]]");
  EXPECT_EQ(work.flops, 2 * 8 * 16 * 32);
  EXPECT_EQ(work.bytes, 2 * (512 + 128 + 128 + 512));
}

TEST(OpWork, UnlikeLengthsAreUnknown) {
  EXPECT_EQ(aten("aten::_flash_attention_forward",
                 "[[100,8,64],[100,8,64],[100,8,64],[5],[5],[],[],[],[]]")
                .why_unknown,
            "Lengths of sequences not recorded");
  EXPECT_EQ(aten("flash_attn::_flash_attn_varlen_forward", "[[100,8,64]]").why_unknown,
            "Lengths of sequences not recorded");
}

TEST(OpWork, ElementwiseBroadcastsOnce) {
  const OpWork work = aten("aten::add", "[[32,1,8],[4,8],[]]", "", "float32");
  EXPECT_EQ(work.flops, 32 * 4 * 8);
  EXPECT_EQ(work.bytes, 4 * (256 + 32 + 1024));
  EXPECT_EQ(work.kind, WorkKind::elementwise);
  EXPECT_EQ(aten("aten::relu_", "[[10]]").flops, 10);
  EXPECT_FALSE(aten("aten::add", "[[3],[4]]").flops);
}

TEST(OpWork, CopiesHaveNoFlop) {
  const OpWork work = work_of({.name = "aten::copy_",
                               .input_shapes = "[[8,8],[8,8],[]]",
                               .input_types = R"(["c10::BFloat16","float","Scalar"])"});
  EXPECT_EQ(work.flops, 0);
  EXPECT_EQ(work.bytes, 64 * 2 + 64 * 4);
  EXPECT_EQ(work.kind, WorkKind::copy);
}

OpWork typed(std::string_view name, std::string_view shapes, std::string_view types,
             std::string_view values = "") {
  return work_of(
      {.name = name, .input_shapes = shapes, .input_types = types, .parameters = values});
}

TEST(OpWork, ResultHasItsOwnType) {
  EXPECT_EQ(typed("aten::eq", "[[8],[8]]", R"(["long int","long int"])").bytes, 8 * (8 + 8 + 1));
  EXPECT_EQ(typed("aten::where", "[[8],[8],[8]]", R"(["bool","float","float"])").bytes,
            8 * (1 + 4 + 4 + 4));
  EXPECT_EQ(typed("aten::mul", "[[8],[8]]", R"(["long int","float"])").bytes, 8 * (8 + 4 + 4));
  EXPECT_EQ(typed("aten::_to_copy", "[[8],[]]", R"(["long int","Scalar"])", R"(["","6"])").bytes,
            8 * (8 + 4));
  EXPECT_EQ(
      typed("aten::mse_loss", "[[8],[8],[]]", R"(["float","float","Scalar"])", R"(["","","1"])")
          .bytes,
      8 * (4 + 4))
      << "the mean is one number";
  EXPECT_EQ(typed("aten::max_pool2d_with_indices", "[[1,1,4,4],[],[],[],[],[]]", R"(["float"])",
                  R"(["","[2, 2]","[2, 2]","[0, 0]","[1, 1]","False"])")
                .bytes,
            16 * 4 + 4 * 4 + 4 * 8);
}

TEST(OpWork, FillsReadNothing) {
  EXPECT_EQ(typed("aten::normal_", "[[8],[],[]]", R"(["float","Scalar","Scalar"])").bytes, 8 * 4);
  EXPECT_EQ(
      typed("aten::repeat", "[[8],[]]", R"(["float","ScalarList"])", R"(["","[3, 2]"])").bytes,
      8 * 4 * (1 + 6));
}

TEST(OpWork, GatherMovesOneElementPerIndex) {
  EXPECT_EQ(typed("aten::gather", "[[100,64],[],[5,64],[]]", R"(["float","","long int",""])").bytes,
            5 * 64 * (4 + 4 + 8));
  EXPECT_EQ(typed("aten::index_select", "[[100,64],[],[5]]", R"(["float","","long int"])",
                  R"(["","1",""])")
                .bytes,
            100 * 5 * 8 + 5 * 8)
      << "columns";
  EXPECT_EQ(
      typed("aten::index_select", "[[100,64],[],[5]]", R"(["float","","long int"])").why_unknown,
      "Dimension of the index not recorded");
}

TEST(OpWork, HugeParametersAreUnknown) {
  EXPECT_FALSE(aten("aten::max_pool2d", "[[1,1,4,4],[],[],[],[],[]]",
                    R"(["","[2, 2]","[1, 1]","[9223372036854775807]","[1, 1]","False"])")
                   .flops_exact);
  EXPECT_FALSE(aten("aten::conv2d", "[[1,1,4,4],[1,1,2,2],[],[],[],[],[]]",
                    R"(["","","","[1]","[9223372036854775807]","[1]","1"])")
                   .flops);
}

TEST(OpWork, SizesOfZeroAreKnown) {
  EXPECT_EQ(typed("aten::sum", "[[0,64],[]]", R"(["float",""])").flops, 0);
  EXPECT_EQ(typed("aten::_to_copy", "[[0,64],[]]", R"(["float","Scalar"])", R"(["","6"])").bytes,
            0);
}

TEST(OpWork, TypesTellNumbersFromParameters) {
  EXPECT_EQ(typed("aten::add_", "[[],[],[]]", R"(["float","float","Scalar"])").bytes, 3 * 4);
  EXPECT_EQ(typed("aten::add_", "[[],[],[]]", R"(["Scalar","Scalar",""])").why_unknown,
            "Input shapes not recorded");
}

TEST(OpWork, NamesWithPoolAreNoPooling) {
  EXPECT_EQ(aten("sglang::memory_pool__set_kv_buffer", "[[8,8,8]]").why_unknown,
            "No formula for this op");
}

TEST(OpWork, LibrariesForInferenceHaveFormulas) {
  EXPECT_EQ(aten("aiter::gemm_a16w16", "[[32,64],[16,64],[],[]]").gemm, (GemmShape{32, 16, 64, 1}));
  EXPECT_EQ(aten("sgl_kernel::silu_and_mul", "[[4,8],[4,16]]").bytes, 2 * (32 + 64));
  const OpWork fused = aten("triton_poi_fused_add_0", "[[8,8],[8,8],[]]");
  EXPECT_EQ(fused.bytes, 2 * 128);
  EXPECT_FALSE(fused.flops);
}

// Decoding: the only query sees all keys.
TEST(OpWork, FlashMaskEndsAtTheLastKey) {
  const auto of = [](std::string_view shapes) {
    return aten("aten::_flash_attention_forward", shapes, R"(["","","","","","","","0.","True"])")
        .flops;
  };
  EXPECT_EQ(of("[[1,1,2,8],[1,9,2,8],[1,9,2,8],[],[],[],[],[],[]]"), 2 * 2 * 9 * 16);
  EXPECT_EQ(of("[[1,2,1,8],[1,5,1,8],[1,5,1,8],[],[],[],[],[],[]]"), 2 * (4 + 5) * 16);
  EXPECT_EQ(of("[[1,5,1,8],[1,2,1,8],[1,2,1,8],[],[],[],[],[],[]]"), 2 * (1 + 2) * 16);
}

TEST(OpWork, FusedAdamMovesSevenTensors) {
  const OpWork work =
      work_of({.name = "aten::_fused_adam_",
               .data_type = "float32",
               .input_shapes = "[[[10,10],[5]],[[10,10],[5]],[[10,10],[5]],[[10,10],[5]]]"});
  EXPECT_EQ(work.bytes, 105 * 28);
  EXPECT_EQ(work.flops, 105 * 12);
}

TEST(OpWork, CommunicationMovesOtherBytes) {
  const OpWork work = aten("c10d::allreduce_", "[[[1000]],[]]");
  EXPECT_FALSE(work.bytes);
  EXPECT_EQ(work.why_unknown, "Moves data between GPUs");
}

TEST(OpWork, DlprofTypesHaveTheSameFormulas) {
  EXPECT_EQ(dlprof("linear", "[[1,400],[120,400],[120]]\n", "[[1,120]]\n").flops, 2 * 400 * 120);
  const OpWork conv = dlprof("conv2d", "[[1,3,32,32],[6,3,3,3],[6]]", "[[1,6,30,30]]");
  EXPECT_EQ(conv.flops, 2 * 6 * 900 * 27);
  EXPECT_THAT(conv.assumptions, Contains("stride 1, padding 0"));
  const OpWork strided = dlprof("conv2d", "[[1,3,32,32],[6,3,3,3],[6]]", "[[1,6,16,16]]");
  EXPECT_EQ(strided.flops, 2 * 6 * 256 * 27);
  EXPECT_THAT(strided.assumptions, IsEmpty());
  EXPECT_EQ(dlprof("linear", "[[1,400],[120,400],[120]]", "", true).flops, 4 * 400 * 120);
  EXPECT_FALSE(dlprof("relu", "[[1,400]]", "", true).flops);
}

TEST(OpWork, DamagedTextsAreUnknown) {
  for (const char* shapes : {"", "null", "[[1,2],[2", "[[-1,2],[2,3]]", "[[1.5,2],[2,3]]", "{}",
                             "[[1,2],[2,3]] x", "[[99999999999999999999,2],[2,3]]"}) {
    EXPECT_FALSE(aten("aten::mm", shapes).flops) << shapes;
  }
  EXPECT_EQ(aten("aten::einsum", "[[2,3],[3,4]]").why_unknown, "Equation of einsum not recorded");
}

TEST(OpWork, HugeShapesAreUnknown) {
  const OpWork work = aten("aten::mm", "[[4000000000,4000000000],[4000000000,4000000000]]");
  EXPECT_FALSE(work.flops);
  EXPECT_EQ(work.why_unknown, "Shapes too large");
}

TEST(OpWork, EmptyTensorsDoNothing) {
  EXPECT_EQ(aten("aten::mm", "[[0,8],[8,4]]").flops, 0);
  EXPECT_EQ(aten("aten::mm", "[[2,0],[0,4]]").flops, 0);
}

TEST(GemmTiles, ReproduceTheRealGemm) {
  DLVIEW_REQUIRE_TEST_DATA();
  for (const json& figures : expected_figures("gemm_tiles")) {
    const profile::Dim3 grid{132, 1, 1};
    const auto tiling =
        tiling_of("gemm_128x128", {figures["m"], figures["n"], 1024, 1}, grid, figures["sms"], 1);
    ASSERT_TRUE(tiling);
    EXPECT_EQ(tiling->tiles, figures["tiles"]);
    EXPECT_NEAR(tiling->waves, figures["waves_exact"], 1e-3);
    EXPECT_EQ(tiling->whole_waves, figures["waves"]);
    EXPECT_NEAR(tiling->wave_efficiency_percent, figures["wave_efficiency_pct"], 1e-3);
    EXPECT_NEAR(tiling->tile_efficiency_percent, figures["tile_efficiency_pct"], 1e-3);
    EXPECT_THAT(tiling->note, HasSubstr("as many blocks as SMs"));
  }
}

TEST(GemmTiles, NamesOfLibrariesHaveTiles) {
  const auto tile = [](const char* name) {
    const auto found = tile_of(name);
    return found ? std::pair(found->m, found->n) : std::pair<int64_t, int64_t>(0, 0);
  };
  using Size = std::pair<int64_t, int64_t>;
  EXPECT_EQ(tile("cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8"),
            Size(256, 128));
  EXPECT_EQ(tile("ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3_nn"), Size(128, 64));
  EXPECT_EQ(tile("nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NNT"), Size(128, 256));
  EXPECT_EQ(tile("volta_sgemm_128x32_sliced1x4_nn"), Size(128, 32));
  EXPECT_EQ(tile("Cijk_Ailk_Bljk_BBS_BH_Bias_MT128x96x64_MI16x16x1_SN"), Size(128, 96));
  EXPECT_EQ(tile("vectorized_elementwise_kernel"), Size(0, 0));
  EXPECT_EQ(tile("sm80_stages_64x3"), Size(0, 0));
}

TEST(GemmTiles, SwizzleHasEmptyBlocks) {
  // 41 x 21 tiles; 8 columns at a time: 3 columns of blocks instead of 21 / 8.
  const GemmShape gemm{41 * 128, 21 * 256, 768, 1};
  const auto tiling = tiling_of("gemm_128x256_32x3", gemm, profile::Dim3{328, 3, 1}, 132, 1);
  ASSERT_TRUE(tiling);
  EXPECT_EQ(tiling->tiles, 41 * 21);
  EXPECT_EQ(tiling->note, "Swizzle 8: 123 empty blocks");
}

TEST(GemmTiles, ColumnMajorTileIsTurned) {
  const GemmShape gemm{256, 1024, 64, 1};
  const auto tiling = tiling_of("gemm_256x64", gemm, profile::Dim3{4, 4, 1}, 132, 1);
  ASSERT_TRUE(tiling);
  EXPECT_EQ(tiling->tile, (Tile{64, 256}));
}

TEST(GemmTiles, HugeEmptyProductsHaveNone) {
  const GemmShape gemm{INT64_MAX, INT64_MAX, 0, 1};
  EXPECT_FALSE(tiling_of("gemm_128x128", gemm, std::nullopt, 132, 1));
}

TEST(GemmTiles, SplitKernelsHaveNone) {
  const GemmShape gemm{256, 256, 4096, 1};
  EXPECT_FALSE(tiling_of("gemm_128x128_splitKreduce", gemm, std::nullopt, 132, 1));
  EXPECT_FALSE(tiling_of("cutlass_128x128_stream_k", gemm, std::nullopt, 132, 1));
  EXPECT_FALSE(tiling_of("gemm_128x128", gemm, profile::Dim3{77, 1, 1}, 132, 1));
  EXPECT_FALSE(tiling_of("gemm_128x128", gemm, std::nullopt, 0, 1));
}

TEST(Waves, SeedExampleHasTwo) {
  DLVIEW_REQUIRE_TEST_DATA();
  for (const json& figures : expected_figures("seed")) {
    if (figures["id"] != "seed-waves") continue;
    const auto waves = grid_waves(figures["blocks"], figures["sms"], figures["blocks_per_sm"]);
    ASSERT_TRUE(waves);
    EXPECT_EQ(waves->whole, figures["waves"]);
    EXPECT_DOUBLE_EQ(waves->waves, figures["exact_waves"]);
    EXPECT_DOUBLE_EQ(waves->last_percent, figures["last_wave_pct"]);
    EXPECT_DOUBLE_EQ(100 - waves->lost_percent, figures["efficiency_pct"]);
  }
}

TEST(Alignment, OddSizesAreNamed) {
  DLVIEW_REQUIRE_TEST_DATA();
  for (const json& figures : expected_figures("alignment")) {
    const GemmShape gemm{128, 128, figures["k"], 1};
    EXPECT_EQ(unaligned_sizes(gemm, "bfloat16").empty(), figures["multiple_of_8"].get<bool>());
  }
  EXPECT_EQ(unaligned_sizes({1, 10, 5185, 1}, "bfloat16"), "K = 5185, N = 10");
  EXPECT_EQ(unaligned_sizes({1, 8, 8, 1}, "int8"), "K = 8, N = 8");
  EXPECT_EQ(unaligned_sizes({1, 3, 3, 1}, "float64"), "");
  EXPECT_EQ(alignment_of("s16816gemm_relu_bf16_256x128_32x3_tn_align1"), 1);
  EXPECT_EQ(alignment_of("volta_sgemm"), std::nullopt);
}

}  // namespace
}  // namespace dlview::aggregate
