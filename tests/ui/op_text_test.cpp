#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/find_op.h"
#include "support/sketch.h"
#include "ui/explanations.h"

namespace dlview::ui {
namespace {

using profile::OpIndex;
using ::testing::HasSubstr;

// The words for the first op of a sketch whose Tensor Cores are told by the rules.
std::string words(testing::Sketch& sketch) {
  auto profile = std::make_shared<profile::Profile>(*sketch.finish());
  profile->source.by_tensor_core_rules = true;
  const aggregate::Aggregation aggregation = aggregate::make_cpu_aggregator(profile)->aggregate({});
  constexpr OpIndex kOp{0};
  const aggregate::UnknownTensorCoreUse unknown(*profile);
  return tensor_core_text(*profile, kOp, aggregate::find_op(aggregation, kOp), &unknown);
}

TEST(OpText, CountsTheKernelsThatUseTensorCores) {
  testing::Sketch sketch;
  const profile::Row run = sketch.instance(sketch.op("linear", "linear", true), 0, 10);
  sketch.kernel(run, 10, 20, 0, "ampere_h16816gemm_128x64", true);
  sketch.kernel(run, 20, 30, 0, "splitKreduce_kernel");
  EXPECT_EQ(words(sketch), "used by 1 of 2 kernels");

  const auto with_kernels = [](int64_t count) {
    testing::Sketch whole;
    const profile::Row alone = whole.instance(whole.op("linear", "linear", true), 0, 10);
    for (int64_t i = 0; i < count; ++i) {
      whole.kernel(alone, 10 + i, 11 + i, 0, "ampere_h16816gemm_128x64", true);
    }
    return words(whole);
  };
  EXPECT_EQ(with_kernels(1), "used by its kernel");
  EXPECT_EQ(with_kernels(2), "used by all 2 kernels");
}

TEST(OpText, SaysUnknownWhereNoRuleKnowsSomeKernel) {
  testing::Sketch generated;
  const profile::Row run = generated.instance(generated.op("linear", "linear", true), 0, 10);
  generated.kernel(run, 10, 20, 0, "my_own_kernel");
  EXPECT_THAT(words(generated), HasSubstr("unknown"));

  testing::Sketch partly;
  const profile::Row both = partly.instance(partly.op("linear", "linear", true), 0, 10);
  partly.kernel(both, 10, 20, 0, "my_own_kernel");
  partly.kernel(both, 20, 30, 0, "volta_sgemm_128x64_nn");
  EXPECT_THAT(words(partly), HasSubstr("unknown"));

  testing::Sketch known;
  const profile::Row other = known.instance(known.op("linear", "linear", true), 0, 10);
  known.kernel(other, 20, 30, 0, "volta_sgemm_128x64_nn");
  EXPECT_EQ(words(known), "eligible, but not used");
}

TEST(OpText, ExplainsWorkOutsideOfAllOps) {
  testing::Sketch sketch;
  sketch.op("linear");
  sketch.op("unassociated_cudaLaunchKernel", "cudaLaunchKernel");
  sketch.op("unassociated_no_launch", "no_launch");
  const auto profile = sketch.finish();
  EXPECT_EQ(explain_op(*profile, OpIndex{0}), "");
  EXPECT_THAT(explain_op(*profile, OpIndex{1}), HasSubstr("outside all ops"));
  EXPECT_THAT(explain_op(*profile, OpIndex{2}), HasSubstr("without a recorded launch"));
}

TEST(OpText, ExplainsTheCallsOfARangesOwnTime) {
  testing::Sketch sketch;
  sketch.op("step/step (self time)");
  auto profile = std::make_shared<profile::Profile>(*sketch.finish());
  EXPECT_EQ(explain_op(*profile, OpIndex{0}), "") << "a database has an op of that name";
  profile->trace.emplace();
  EXPECT_THAT(explain_op(*profile, OpIndex{0}),
              HasSubstr("Each uninterrupted part counts as a call"));
}

}  // namespace
}  // namespace dlview::ui
