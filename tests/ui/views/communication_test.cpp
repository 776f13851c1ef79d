// Communication where the views tell of it, on a run of two GPUs of which the first communicates
// more in its second step.

#include <algorithm>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "support/sketch.h"
#include "ui/views/details/details.h"
#include "ui/views/iterations/comparison.h"
#include "ui/views/tables/gpus.h"

namespace dlview::ui {
namespace {

constexpr std::string_view kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

class Communication : public ::testing::Test {
 protected:
  Communication() {
    testing::Sketch sketch(2);
    step_ = sketch.op("step");
    for (const int64_t start : {0, 1000}) {
      const profile::Row run = sketch.instance(step_, start, start + 10);
      sketch.kernel(run, start + 100, start + 200, 0, "gemm", true);
      sketch.kernel(run, start + 150, start + 250 + start / 10, 0, kAllReduce);
      sketch.kernel(run, start + 150, start + 250, 1, "gemm", true);
    }
    sketch.instance(step_, 2000, 2001);
    profile_ = sketch.finish();
    aggregation_ = aggregate::make_cpu_aggregator(profile_)->aggregate(
        {{aggregate::CutKind::start, "step", 0}, {0, 1}});
  }
  profile::Row step_ = 0;
  std::shared_ptr<const profile::Profile> profile_;
  aggregate::Aggregation aggregation_;
};

TEST_F(Communication, IsToldOfEachGpuInARunThatHasAny) {
  const std::vector<DeviceBar> bars = prepare_device_bars(*profile_, aggregation_);
  ASSERT_EQ(bars.size(), 2u);
  ASSERT_EQ(bars[0].parts.size(), aggregate::kCategoryCount + 1);
  EXPECT_EQ(bars[0].parts[1].label, "Other kernels");
  EXPECT_EQ(bars[0].parts[1].value, "0") << "they do not contain what is exposed";
  EXPECT_EQ(bars[0].parts[2].label, "Exposed communication");
  EXPECT_EQ(bars[0].parts[2].value, "200\u202fns");
  EXPECT_EQ(bars[0].parts[2].tone, Tone::communication);
  double whole = 0;
  for (const BarPart& part : bars[0].parts) whole += part.fraction;
  EXPECT_NEAR(whole, 1, 1e-9);
  ASSERT_TRUE(bars[0].overlapped);
  EXPECT_EQ(bars[0].overlapped->value, "100\u202fns");
  EXPECT_EQ(bars[1].parts[2].value, "0");
  aggregate::IterationTable without = *aggregation_.iteration_table;
  without.has_communication = false;
  aggregation_.iteration_table = std::make_shared<aggregate::IterationTable>(without);
  const DeviceBar bar = prepare_device_bars(*profile_, aggregation_)[0];
  EXPECT_FALSE(bar.overlapped);
  EXPECT_EQ(bar.parts.size(), aggregate::kCategoryCount);
}

TEST_F(Communication, AGpuThatFiltersLeaveOutIsNotCalledUnrecorded) {
  aggregate::Selection selection = aggregation_.selection;
  selection.filters = {{.kind = aggregate::FilterKind::device, .number = 1}};
  const std::vector<DeviceBar> bars = prepare_device_bars(
      *profile_, aggregate::make_cpu_aggregator(profile_)->aggregate(selection));
  const auto kernels = static_cast<std::size_t>(aggregate::Category::tensor_core_kernels);
  EXPECT_TRUE(bars[0].parts[kernels].recorded);
  EXPECT_EQ(bars[0].parts[kernels].value, "filtered out");
  EXPECT_EQ(bars[0].overlapped->value, "filtered out");
  const auto io = std::ranges::find(bars[0].parts, "I/O", &BarPart::label);
  EXPECT_FALSE(io->recorded);
}

TEST_F(Communication, ExposedPartFollowsComparedOtherKernels) {
  const auto comparison =
      aggregate::compare_iterations(*profile_, *aggregation_.iteration_table, 1, 0);
  const ComparisonTexts texts =
      prepare_comparison(*profile_, aggregation_.iteration_table->iterations, comparison, {1, 0},
                         nullptr, aggregate::RecordedCategories(*profile_, aggregation_), {});
  ASSERT_EQ(texts.categories.size(), aggregate::kCategoryCount + 1);
  const ComparisonRow& row = texts.categories[2];
  EXPECT_EQ(row.name, "Exposed communication");
  EXPECT_EQ(row.value, "75\u202fns");  // 150 on one of two GPUs
  EXPECT_EQ(row.baseline, "25\u202fns");
  EXPECT_EQ(row.difference, "+50\u202fns");
  EXPECT_EQ(row.tone, Tone::communication);
  EXPECT_EQ(texts.categories[1].name, "Other kernels");
  EXPECT_EQ(texts.categories[1].share, 0) << "as on the Dashboard, without what is exposed";
}

TEST_F(Communication, KernelDetailsNameLibraryAndCollective) {
  const aggregate::OpInstances instances(*profile_);
  const auto fact_of = [&](std::string_view name) {
    const DetailsContent content =
        prepare_details(*profile_, aggregation_, instances, nullptr,
                        {profile::OpIndex(step_), profile_->strings.find(name)});
    for (const auto& fact : content.facts) {
      if (fact.id == "communication") return fact.value;
    }
    return std::string();
  };
  EXPECT_EQ(fact_of(kAllReduce), "NCCL AllReduce");
  EXPECT_EQ(fact_of("gemm"), "");
}

}  // namespace
}  // namespace dlview::ui
