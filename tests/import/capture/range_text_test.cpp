#include <gtest/gtest.h>

#include "import/capture/range_facts.h"

namespace dlview::import::capture {
namespace {

using Meaning = NumberedName::Meaning;

struct Numbered {
  const char* text;
  const char* name;
  std::optional<int64_t> number;
};

class RunningNumbers : public ::testing::TestWithParam<Numbered> {};

TEST_P(RunningNumbers, AreSplitFromNames) {
  const NumberedName split = split_number(GetParam().text);
  EXPECT_EQ(split.name, GetParam().name);
  EXPECT_EQ(split.number, GetParam().number);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, RunningNumbers,
    ::testing::Values(
        Numbered{"step 12", "step", 12}, Numbered{"Step 10 to 20", "Step", 10},
        Numbered{"ProfilerStep#3", "ProfilerStep", 3}, Numbered{"Iteration 3/100", "Iteration", 3},
        Numbered{"Warm-up Step 1", "Warm-up Step", 1}, Numbered{"train_step_7", "train_step", 7},
        Numbered{"Epoch [2]", "Epoch", 2}, Numbered{"batch: 4", "batch", 4},
        Numbered{"Compute & Residual 0", "Compute & Residual", 0},
        Numbered{"Linear(64, 8)", "Linear(64, 8)", std::nullopt},
        Numbered{"conv_1", "conv_1", std::nullopt}, Numbered{"block2", "block2", std::nullopt},
        Numbered{"3D_backbone", "3D_backbone", std::nullopt},
        Numbered{"cublasCreate_v2", "cublasCreate_v2", std::nullopt},
        Numbered{"17", "17", std::nullopt}, Numbered{"", "", std::nullopt},
        Numbered{"step 99999999999999999999", "step 99999999999999999999", std::nullopt}));

TEST(RunningNumbersOf, StepsCountAndThoseOfLayersName) {
  EXPECT_EQ(split_number("train_step 3").meaning, Meaning::counts);
  EXPECT_EQ(split_number("ProfilerStep#3").meaning, Meaning::counts);
  EXPECT_EQ(split_number("decoder layer 3").meaning, Meaning::names);
  EXPECT_EQ(split_number("IO 3").meaning, Meaning::unknown);
}

TEST(RangeTexts, OfEmitNvtxNameAnOp) {
  const RangeText text = read_range_text("aten::conv2d, seq = 5, op_id = 7", DomainKind::other);
  EXPECT_EQ(text.kind, RangeKind::framework_op);
  EXPECT_EQ(text.name, "aten::conv2d");
  EXPECT_EQ(text.type, "conv2d");
  EXPECT_EQ(text.seq, 5);
  EXPECT_FALSE(text.backward);
}

TEST(RangeTexts, TellSizesAsJsonOrNotAtAll) {
  const auto sizes_of = [](const std::string& list) {
    return read_range_text("aten::mm, sizes = " + list, DomainKind::other).sizes;
  };
  EXPECT_EQ(sizes_of("[[32, 400], [], [10]], input_op_ids = []"), "[[32,400],[],[10]]");
  EXPECT_EQ(sizes_of("[[-1, 0], [[2], [3]]]"), "[[-1,0],[[2],[3]]]");
  for (const char* list : {"[[4, 3], [3, 4]0]", "[4,]", "[,4]", "[[4][3]]", "[4-3]", "[-]", "[04]",
                           "[-04]", "[4", "4", "[-[4]]"}) {
    EXPECT_EQ(sizes_of(list), "") << list;
  }
}

TEST(RangeTexts, OfTheBackwardPassAreOpsToo) {
  for (const char* text : {"autograd::engine::evaluate_function: AddmmBackward0, op_id = 3",
                           "AddmmBackward0, seq = 3", "AddmmBackward0, seq = 3, op_id = 9"}) {
    const RangeText read = read_range_text(text, DomainKind::other);
    EXPECT_EQ(read.kind, RangeKind::framework_op) << text;
    EXPECT_EQ(read.name, "AddmmBackward0") << text;
    EXPECT_TRUE(read.backward) << text;
  }
  EXPECT_EQ(read_range_text("Backward", DomainKind::other).kind, RangeKind::user);
}

TEST(RangeTexts, OfFunctionsThatHoldOpsAreTheUsers) {
  for (const char* text :
       {"FSDP::pre_forward (block.1), op_id = 7", "CheckpointFunction, seq = 4",
        "CheckpointFunctionBackward, seq = 4", "_NoopSaveInputs, seq = 4, op_id = 9",
        "cub::DeviceReduce::Sum", "TransformReplay::replayCasP"}) {
    EXPECT_EQ(read_range_text(text, DomainKind::other).kind, RangeKind::user) << text;
  }
  EXPECT_EQ(read_range_text("FSDP::pre_forward (block.1), op_id = 7", DomainKind::other).name,
            "FSDP::pre_forward (block.1)");
}

TEST(RangeTexts, OfLibrariesAreKnownByTheirDomain) {
  EXPECT_EQ(read_range_text("cublasCreate_v2", kind_of_domain("cuBLAS")).kind, RangeKind::library);
  EXPECT_EQ(read_range_text("ncclAllReduce", kind_of_domain("NCCL")).kind, RangeKind::library);
  EXPECT_EQ(read_range_text("ExecutionContext::enqueue", kind_of_domain("TensorRT")).kind,
            RangeKind::user);
}

TEST(RangeTexts, ThatOnlyBeginLikeAMarkerAreTheUsers) {
  EXPECT_EQ(read_range_text("{'mod': ", DomainKind::other).kind, RangeKind::user);
}

}  // namespace
}  // namespace dlview::import::capture
