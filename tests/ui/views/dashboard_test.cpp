#include "ui/views/dashboard/dashboard.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/kernels_by_name.h"
#include "aggregate/tensor_core_uses.h"
#include "import/open.h"
#include "profile/recorded.h"
#include "support/sketch.h"
#include "support/test_data.h"
#include "ui/views/dashboard/shares.h"
#include "ui/views/dashboard/summary.h"
#include "ui/views/dashboard/top_ops.h"

namespace dlview::ui {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct OpenRun {
  std::shared_ptr<const profile::Profile> profile;
  aggregate::Aggregation aggregation;

  explicit OpenRun(std::shared_ptr<const profile::Profile> facts,
                   const aggregate::Selection& selection = {})
      : profile(std::move(facts)),
        aggregation(aggregate::make_cpu_aggregator(profile)->aggregate(selection)) {}
  DashboardContent content() const {
    const aggregate::UnknownTensorCoreUse unknown(*profile);
    return prepare_dashboard(
        *profile, aggregation,
        UnknownUseTimes{unknown.gpu_ns(aggregation), unknown.eligible_gpu_ns(aggregation)},
        &unknown, "9.9");
  }
};

// Of 1000 ns, device 0 is busy with Tensor Cores for 300 and with other kernels for 100, then
// copies for 100; device 1 does nothing; the CPU is busy throughout.
OpenRun two_gpus(const aggregate::Selection& selection = {}) {
  testing::Sketch sketch(2);
  const auto conv = sketch.instance(sketch.op("net/conv", "conv2d", true), 0, 600);
  sketch.kernel(conv, 100, 400, 0, "xmma", true);
  sketch.kernel(conv, 400, 500, 0, "transpose");
  const auto relu = sketch.instance(sketch.op("net/relu"), 600, 1000);
  sketch.copy(relu, 700, 800);
  return OpenRun(sketch.finish(), selection);
}

std::vector<std::string> readings(const std::vector<BarPart>& parts) {
  std::vector<std::string> texts;
  for (const BarPart& part : parts) texts.push_back(part.id + ": " + part.share + " " + part.value);
  return texts;
}

TEST(Dashboard, KernelTimeIsThePlainSumOfKernelsAndMemory) {
  EXPECT_THAT(readings(two_gpus().content().kernel_time),
              ElementsAre("tensor_core_kernels: 60.0% 300\u202fns", "memory: 20.0% 100\u202fns",
                          "other_kernels: 20.0% 100\u202fns"));
}

TEST(Dashboard, KernelTimeTellsUnknownUseOfTensorCoresFromNone) {
  testing::Sketch sketch;
  const auto step = sketch.instance(sketch.op("step"), 0, 1000);
  sketch.kernel(step, 0, 300, 0, "xmma", true);
  sketch.kernel(step, 300, 500, 0, "triton_poi_fused_add");
  sketch.kernel(step, 500, 1000, 0, "vectorized_elementwise_kernel");
  auto facts = std::make_shared<profile::Profile>(*sketch.finish());
  EXPECT_EQ(OpenRun(facts).content().kernel_time.size(), 3U) << "the database tells each";
  facts->source.by_tensor_core_rules = true;
  const std::vector<BarPart> parts = OpenRun(facts).content().kernel_time;
  EXPECT_THAT(readings(parts), ElementsAre("tensor_core_kernels: 30.0% 300\u202fns", "memory: 0% 0",
                                           "other_kernels: 50.0% 500\u202fns",
                                           "unknown_kernels: 20.0% 200\u202fns"));
  EXPECT_TRUE(parts[0].filter);
  EXPECT_FALSE(parts[2].filter) << "no filter keeps those apart from the unknown ones";
  const std::vector<BarPart> early = prepare_kernel_time(OpenRun(facts).aggregation, std::nullopt);
  EXPECT_EQ(readings(early)[2], "other_kernels:  analyzing…");
  EXPECT_EQ(early[2].tone, Tone::unknown);
  EXPECT_FALSE(early[2].filter) << "nor those that are not known yet";
}

TEST(Dashboard, TensorCoreEfficiencyCoversKernelsOfEligibleOps) {
  EXPECT_THAT(readings(two_gpus().content().tensor_core_efficiency),
              ElementsAre("using: 75.0% 300\u202fns", "not_using: 25.0% 100\u202fns"));
}

TEST(Dashboard, EfficiencyWaitsForKernelsOfUnknownUse) {
  testing::Sketch sketch;
  const auto conv = sketch.instance(sketch.op("net/conv", "conv2d", true), 0, 1000);
  sketch.kernel(conv, 0, 300, 0, "ampere_h16816gemm_128x64", true);
  sketch.kernel(conv, 300, 500, 0, "triton_poi_fused_add");
  sketch.kernel(conv, 500, 1000, 0, "volta_sgemm_128x64_nn");
  auto facts = std::make_shared<profile::Profile>(*sketch.finish());
  facts->source.by_tensor_core_rules = true;
  const OpenRun run(facts);
  EXPECT_EQ(run.content().summary[3].value, "37.5%") << "300 of 800 ns are known";
  const DashboardContent early =
      prepare_dashboard(*run.profile, run.aggregation, std::nullopt, nullptr, "9.9");
  EXPECT_EQ(early.summary[3].value, "–") << "never 30% of 1000 ns";
  EXPECT_EQ(early.summary[3].note, "analyzing…");
  EXPECT_THAT(early.tensor_core_efficiency, IsEmpty());
  EXPECT_EQ(early.why_no_efficiency, "Analyzing…");
}

TEST(Dashboard, UtilizationIsToldOnceWhereAllGpusAreUsed) {
  testing::Sketch sketch(2);
  const auto step = sketch.instance(sketch.op("net/step"), 0, 1000);
  sketch.kernel(step, 0, 400, 0);
  sketch.kernel(step, 0, 200, 1);
  const DevicesPanel panel = OpenRun(sketch.finish()).content().devices;
  EXPECT_EQ(panel.note, "2 GPUs used");
  ASSERT_EQ(panel.means.size(), 1u);
  EXPECT_EQ(panel.means[0].label, "All 2");
}

TEST(Dashboard, UtilizationIsToldOverAllAndOverUsedGpus) {
  const OpenRun run = two_gpus();
  const DevicesPanel panel = run.content().devices;
  EXPECT_EQ(panel.note, "1 of 2 GPUs used");
  ASSERT_EQ(panel.means.size(), 2u);
  EXPECT_EQ(panel.means[0].label, "All 2");
  EXPECT_EQ(panel.means[0].share, "20.0%");
  EXPECT_EQ(panel.means[1].label, "1 used");
  EXPECT_EQ(panel.means[1].full, "40.000000%");
  ASSERT_EQ(panel.rows.size(), 2u);
  EXPECT_EQ(panel.rows[0].share, "40.0%");
  EXPECT_EQ(panel.rows[1].share, "no kernel");
  const KeyFigure figure = run.content().summary[2];
  EXPECT_EQ(figure.value, "20.0%");
  EXPECT_EQ(figure.note, "40.0% on the 1 used of 2");
}

TEST(Dashboard, SummaryTellsStartStopAndHowManyOfHowMany) {
  testing::Sketch sketch;
  const auto step = sketch.op("step");
  for (int i = 0; i < 5; ++i) sketch.instance(step, 100 + 100 * i, 150 + 100 * i);
  const OpenRun run(sketch.finish(), {{aggregate::CutKind::start, "step", 0}, {3, 5}});
  const std::vector<KeyFigure> summary = run.content().summary;
  EXPECT_EQ(summary[5].value, "3");
  EXPECT_EQ(summary[5].suffix, "of 6");
  EXPECT_EQ(summary[5].note, "start 3 · stop 5");
  EXPECT_EQ(summary[0].note, "iterations 3–5");
  EXPECT_EQ(summary[1].note, "σ 23.1\u202fns · median 99\u202fns");
  EXPECT_EQ(summary[1].hint, "Iteration 5: Ends with the capture; may be incomplete");
}

TEST(Dashboard, WithoutAGpuNothingOfItIsZero) {
  testing::Sketch sketch(0);
  sketch.instance(sketch.op("relu"), 0, 100);
  const DashboardContent content = OpenRun(sketch.finish()).content();
  EXPECT_THAT(content.waterfall.steps, IsEmpty());
  EXPECT_EQ(content.waterfall.why_none, kNoDevices);
  EXPECT_THAT(content.kernel_time, IsEmpty());
  EXPECT_THAT(content.tensor_core_efficiency, IsEmpty());
  EXPECT_THAT(content.devices.rows, IsEmpty());
  EXPECT_THAT(content.top_ops.rows, IsEmpty());
  EXPECT_EQ(content.summary[2].value, "–");
  EXPECT_EQ(content.summary[2].note, "no GPU recorded");
  EXPECT_EQ(content.summary[3].value, "–");
}

// A file that was recorded without CUDA.
OpenRun without_gpu_work() {
  testing::Sketch sketch(1);
  sketch.instance(sketch.op("step/load"), 0, 300);
  sketch.instance(sketch.op("step/forward"), 300, 1000);
  auto facts = std::make_shared<profile::Profile>(*sketch.finish());
  facts->trace.emplace();
  facts->not_recorded = {
      {std::string(profile::kNoGpuWorkAndCalls), "nsys profile --trace=cuda,nvtx"}};
  facts->ops.tensor_core_support =
      std::vector(facts->ops.size(), profile::TensorCoreSupport::unknown);
  return OpenRun(facts);
}

TEST(Dashboard, WhatWasNotRecordedIsNoZero) {
  const DashboardContent content = without_gpu_work().content();
  for (const std::size_t figure : {2, 3, 4}) {
    EXPECT_EQ(content.summary[figure].value, "–");
    EXPECT_EQ(content.summary[figure].note, "GPU activity not recorded");
    EXPECT_EQ(content.summary[figure].full,
              "GPU activity not recorded: nsys profile --trace=cuda,nvtx");
  }
  EXPECT_EQ(content.no_gpu_activity, "GPU activity not recorded: nsys profile --trace=cuda,nvtx");
  EXPECT_EQ(content.why_no_kernel_time, content.no_gpu_activity);
  EXPECT_THAT(content.devices.rows, IsEmpty());
}

TEST(Dashboard, WithoutRowsTellsOfTheFilters) {
  const auto two = two_gpus();
  aggregate::Aggregation aggregation = two.aggregation;
  EXPECT_EQ(why_no_kernel_time(*two.profile, aggregation),
            "No kernel or memory operation ran in this range.");
  EXPECT_FALSE(prepare_top_ops(*two.profile, aggregation, nullptr).filtered);
  aggregation.selection.filters = {{.kind = aggregate::FilterKind::tensor_core, .number = 1}};
  EXPECT_EQ(why_no_kernel_time(*two.profile, aggregation),
            "No kernel or memory operation in this range matches the filters.");
  EXPECT_TRUE(prepare_top_ops(*two.profile, aggregation, nullptr).filtered);
}

TEST(Dashboard, WithoutGpuWorkTheTopOpsAreThoseOfTheCpu) {
  const TopOpsPanel panel = without_gpu_work().content().top_ops;
  EXPECT_TRUE(panel.by_cpu);
  ASSERT_EQ(panel.rows.size(), 2u);
  EXPECT_EQ(panel.rows[0].name, "step/forward");
  EXPECT_EQ(panel.rows[0].time, "700\u202fns");
  EXPECT_EQ(panel.rows[0].eligible, Mark::unknown);
  EXPECT_EQ(panel.rows[0].uses_tensor_cores, Mark::unknown);
}

TEST(Dashboard, TellsUnknownEligibilityFromOpsThatAreNotEligible) {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("forward"), 0, 100), 0, 50, 0, "sgemm");
  auto facts = std::make_shared<profile::Profile>(*sketch.finish());
  EXPECT_EQ(OpenRun(facts).content().summary[3].note, "no eligible op ran a kernel");
  facts->trace.emplace();
  facts->ops.tensor_core_support = std::vector{profile::TensorCoreSupport::unknown};
  const DashboardContent content = OpenRun(facts).content();
  EXPECT_EQ(content.summary[3].note, "eligibility of ops unknown");
  EXPECT_THAT(content.why_no_efficiency, ::testing::HasSubstr("nsys profile --pytorch"));
}

TEST(Dashboard, TensorCoreEfficiencyShowsTheKnownKernelTime) {
  testing::Sketch sketch;
  const auto forward = sketch.instance(sketch.op("forward"), 0, 100);
  sketch.kernel(forward, 0, 100, 0, "xmma", true);
  sketch.kernel(sketch.instance(sketch.op("backward"), 100, 200), 100, 400, 0, "fused");
  auto facts = std::make_shared<profile::Profile>(*sketch.finish());
  facts->trace.emplace();
  facts->ops.tensor_core_support =
      std::vector(facts->ops.size(), profile::TensorCoreSupport::unknown);
  const DashboardContent content = OpenRun(facts).content();
  EXPECT_EQ(content.summary[3].value, "100%");
  EXPECT_EQ(content.summary[3].suffix, "of known time");
  EXPECT_EQ(content.summary[3].note, "25.0% of kernel time known");
  EXPECT_THAT(readings(content.tensor_core_efficiency),
              ElementsAre("using: 100% 100\u202fns", "not_using: 0% 0"))
      << "the same share as the key figure";
  EXPECT_EQ(content.not_counted,
            "Not counted: 300\u202fns (75.0% of kernel time), eligibility unknown");
  EXPECT_EQ(two_gpus().content().not_counted, "");
}

TEST(Dashboard, TensorCoreEfficiencyLeavesOutUnknownUse) {
  testing::Sketch sketch;
  const auto conv = sketch.instance(sketch.op("conv", "conv2d", true), 0, 400);
  sketch.kernel(conv, 0, 100, 0, "volta_sgemm_128x64_nn");
  sketch.kernel(conv, 100, 400, 0, "my_own_kernel");
  auto facts = std::make_shared<profile::Profile>(*sketch.finish());
  EXPECT_EQ(OpenRun(facts).content().summary[3].suffix, "") << "the database tells each";
  facts->source.by_tensor_core_rules = true;
  const DashboardContent content = OpenRun(facts).content();
  EXPECT_EQ(content.summary[3].value, "0%");
  EXPECT_EQ(content.summary[3].suffix, "of known time");
  EXPECT_EQ(content.summary[3].note, "25.0% of kernel time known");
  EXPECT_THAT(readings(content.tensor_core_efficiency),
              ElementsAre("using: 0% 0", "not_using: 100% 100\u202fns"));
  EXPECT_EQ(content.not_counted,
            "Not counted: 300\u202fns (75.0% of kernel time), use of Tensor Cores unknown");
  EXPECT_EQ(content.missed_kernels.total,
            "400\u202fns in 2 kernels, 300\u202fns of it of unknown use");
  EXPECT_THAT(content.eligible_ops, IsEmpty());
}

TEST(Dashboard, CountsUnknownUseByLaunch) {
  testing::Sketch sketch;
  const auto conv = sketch.instance(sketch.op("conv", "conv2d", true), 0, 400);
  sketch.kernel(conv, 0, 300, 0, "my_own_kernel");
  const auto fused = sketch.instance(sketch.op("fused"), 400, 600);
  sketch.kernel(fused, 400, 500, 0, "xmma", true);
  sketch.kernel(fused, 500, 560, 0, "my_own_kernel");
  auto facts = std::make_shared<profile::Profile>(*sketch.finish());
  facts->source.by_tensor_core_rules = true;
  EXPECT_EQ(OpenRun(facts).content().missed_kernels.total,
            "360\u202fns in 1 kernel, 300\u202fns of it of unknown use")
      << "unknown in an eligible op only";
}

TEST(Dashboard, TensorCoreEfficiencyIsUnknownIfAllUseIs) {
  testing::Sketch sketch;
  const auto conv = sketch.instance(sketch.op("conv", "conv2d", true), 0, 400);
  sketch.kernel(conv, 100, 400, 0, "my_own_kernel");
  auto facts = std::make_shared<profile::Profile>(*sketch.finish());
  facts->source.by_tensor_core_rules = true;
  const DashboardContent content = OpenRun(facts).content();
  EXPECT_EQ(content.summary[3].value, "–");
  EXPECT_EQ(content.summary[3].note, "use by eligible ops unknown");
  EXPECT_THAT(content.tensor_core_efficiency, IsEmpty());
  EXPECT_EQ(content.why_no_efficiency, "No rule matches the names of the kernels of eligible ops.");
}

TEST(Dashboard, TopOpsAreTheTenWithTheLargestGpuTime) {
  testing::Sketch sketch;
  for (int i = 0; i < 12; ++i) {
    const auto op = sketch.op("op" + std::to_string(i), "conv2d", i % 2 == 0);
    sketch.kernel(sketch.instance(op, 1000 * i, 1000 * i + 900), 1000 * i, 1000 * i + 10 * (i + 1));
  }
  sketch.instance(sketch.op("on the CPU"), 20'000, 20'500);
  const TopOpsPanel panel = OpenRun(sketch.finish()).content().top_ops;
  ASSERT_EQ(panel.rows.size(), 10u);
  EXPECT_EQ(panel.rows[0].name, "op11");
  EXPECT_EQ(panel.rows[0].time, "120\u202fns");
  EXPECT_EQ(panel.rows[0].fraction, 1);
  EXPECT_EQ(panel.rows[0].eligible, Mark::no);
  EXPECT_EQ(panel.rows[1].eligible, Mark::yes);
  EXPECT_EQ(panel.rows[9].name, "op2");
  EXPECT_FALSE(panel.has_direction);
}

TEST(Dashboard, TopOpsHaveAColumnOfDataTypesWhereOneHasAny) {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("conv"), 0, 10), 0, 10);
  const auto facts = std::make_shared<profile::Profile>(*sketch.finish());
  EXPECT_FALSE(OpenRun(facts).content().top_ops.has_data_type);
  facts->ops.data_type = std::vector(facts->ops.size(), facts->ops.type[0]);
  EXPECT_TRUE(OpenRun(facts).content().top_ops.has_data_type);
}

TEST(Dashboard, TopOpsHaveTheColorsOfTheLegend) {
  const TopOpsPanel panel = two_gpus().content().top_ops;
  ASSERT_EQ(panel.rows.size(), 2u);
  EXPECT_EQ(panel.rows[0].tone, Tone::tensor_core_kernels);
  EXPECT_EQ(panel.rows[1].tone, Tone::memory);

  testing::Sketch sketch;
  const auto conv = sketch.instance(sketch.op("conv", "conv2d", true), 0, 100);
  sketch.kernel(conv, 0, 50, 0, "sgemm");
  const TopOpRow row = OpenRun(sketch.finish()).content().top_ops.rows.at(0);
  EXPECT_EQ(row.tone, Tone::other_kernels);
  EXPECT_EQ(row.uses_tensor_cores, Mark::missed);
}

TEST(Dashboard, OpsThatCommunicateHaveTheirColor) {
  testing::Sketch sketch;
  const auto reduce = sketch.instance(sketch.op("c10d::allreduce_"), 0, 400);
  sketch.kernel(reduce, 0, 300, 0, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  sketch.kernel(reduce, 300, 350, 0, "scale");
  const auto relu = sketch.instance(sketch.op("relu"), 400, 600);
  sketch.kernel(relu, 400, 500, 0, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  sketch.kernel(relu, 500, 600, 0, "vectorized_elementwise_kernel");
  const OpenRun run(sketch.finish());
  const std::vector<TopOpRow> rows = run.content().top_ops.rows;
  EXPECT_EQ(rows.at(0).tone, Tone::communication);
  EXPECT_EQ(rows.at(1).tone, Tone::other_kernels) << "no more than half of it";
  const OpCard card = prepare_op_card(*run.profile, run.aggregation, nullptr, rows[0].op);
  EXPECT_EQ(card.kernels.at(0).tone, Tone::communication);
  EXPECT_EQ(card.kernels.at(1).tone, Tone::other_kernels);
}

TEST(Dashboard, AnOpTellsItsKernelsWithTheirTimes) {
  const OpenRun run = two_gpus();
  const OpCard card = prepare_op_card(*run.profile, run.aggregation, nullptr, profile::OpIndex{0});
  EXPECT_EQ(card.name, "net/conv");
  EXPECT_EQ(card.facts, "conv2d · 1 call");
  EXPECT_EQ(card.verdict, "1 of 2 kernels use Tensor Cores");
  ASSERT_EQ(card.kernels.size(), 2u);
  EXPECT_EQ(card.kernels[0].name, "xmma");
  EXPECT_EQ(card.kernels[0].launches, "× 1");
  EXPECT_EQ(card.kernels[0].gpu_time, "300\u202fns");
  EXPECT_EQ(card.kernels[0].tone, Tone::tensor_core_kernels);
  EXPECT_EQ(card.more, "");
}

TEST(Dashboard, EligibleOpsAreToldWithTheirLargestKernel) {
  testing::Sketch sketch;
  const auto conv = sketch.instance(sketch.op("conv", "conv2d", true), 0, 100);
  sketch.kernel(conv, 0, 20, 0, "transpose");
  sketch.kernel(conv, 20, 90, 0, "sgemm");
  sketch.kernel(sketch.instance(sketch.op("linear", "linear", true), 100, 200), 100, 190, 0, "xmma",
                true);
  sketch.kernel(sketch.instance(sketch.op("relu"), 200, 300), 200, 250);
  const auto rows = OpenRun(sketch.finish()).content().eligible_ops;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].name, "conv");
  EXPECT_EQ(rows[0].why, "sgemm × 1");
  EXPECT_EQ(rows[0].full_gpu_time, "90\u202fns");
}

// Triton kernels, beside others and alone.
std::shared_ptr<profile::Profile> with_triton() {
  testing::Sketch sketch;
  const auto fused = sketch.instance(sketch.op("fused", "linear", true), 0, 100);
  sketch.kernel(fused, 0, 90, 0, "triton_poi_fused_add");
  const auto both = sketch.instance(sketch.op("both"), 100, 200);
  sketch.kernel(both, 100, 140, 0, "triton_poi_fused_mul");
  sketch.kernel(both, 140, 170, 0, "vectorized_elementwise_kernel");
  sketch.kernel(sketch.instance(sketch.op("linear", "linear", true), 200, 300), 200, 260, 0,
                "ampere_sgemm_128x64_tn");
  sketch.kernel(sketch.instance(sketch.op("conv"), 300, 400), 300, 350, 0, "xmma", true);
  return std::make_shared<profile::Profile>(*sketch.finish());
}

TEST(Dashboard, MarksUnknownUseOfTensorCoresAsSuch) {
  auto facts = with_triton();
  const auto marks = [&facts] {
    const DashboardContent content = OpenRun(facts).content();
    std::map<std::string, Mark> by_name;
    for (const TopOpRow& row : content.top_ops.rows) by_name[row.name] = row.uses_tensor_cores;
    for (const TopKernelRow& row : content.top_kernels) by_name[row.name] = row.uses_tensor_cores;
    return by_name;
  };
  std::map<std::string, Mark> expected{{"fused", Mark::missed},
                                       {"both", Mark::no},
                                       {"linear", Mark::missed},
                                       {"conv", Mark::yes},
                                       {"triton_poi_fused_add", Mark::no},
                                       {"triton_poi_fused_mul", Mark::no},
                                       {"vectorized_elementwise_kernel", Mark::no},
                                       {"ampere_sgemm_128x64_tn", Mark::no},
                                       {"xmma", Mark::yes}};
  EXPECT_EQ(marks(), expected) << "the database tells each";
  facts->source.by_tensor_core_rules = true;
  for (const char* name : {"fused", "both", "triton_poi_fused_add", "triton_poi_fused_mul"}) {
    expected[name] = Mark::unknown;
  }
  EXPECT_EQ(marks(), expected);
}

TEST(Dashboard, OpCardMarksUnknownUseOfTensorCores) {
  auto facts = with_triton();
  facts->source.by_tensor_core_rules = true;
  const OpenRun run(facts);
  const aggregate::UnknownTensorCoreUse unknown(*facts);
  const auto card = [&](profile::Row op) {
    return prepare_op_card(*facts, run.aggregation, &unknown, profile::OpIndex{op});
  };
  EXPECT_EQ(card(0).verdict, "Tensor Core use unknown: no rule matches some of its kernels");
  EXPECT_EQ(card(0).kernels.at(0).tone, Tone::unknown);
  EXPECT_EQ(card(1).verdict, card(0).verdict) << "one kernel of two";
  EXPECT_EQ(card(1).kernels.at(0).tone, Tone::unknown);
  EXPECT_EQ(card(1).kernels.at(1).tone, Tone::other_kernels);
  EXPECT_EQ(card(2).verdict, "Eligible for Tensor Cores, but no kernel uses them");
}

TEST(Dashboard, TimeNotUsingTensorCoresIsThatOfTheKernelsItOpens) {
  testing::Sketch sketch;
  const auto forward = sketch.instance(sketch.op("forward"), 0, 400);
  sketch.kernel(forward, 0, 100, 0, "xmma", true);
  sketch.kernel(forward, 100, 160, 0, "transpose");
  sketch.kernel(forward, 160, 200, 0, "relu");
  sketch.kernel(sketch.instance(sketch.op("optimizer"), 400, 500), 400, 450, 0, "relu");
  const DashboardContent content = OpenRun(sketch.finish()).content();
  EXPECT_EQ(readings(content.tensor_core_efficiency)[1], "not_using: 50.0% 100\u202fns");
  EXPECT_THAT(content.eligible_ops, IsEmpty());
  ASSERT_EQ(content.missed_kernels.rows.size(), 2U);
  EXPECT_EQ(content.missed_kernels.rows[0].name, "transpose");
  EXPECT_EQ(content.missed_kernels.rows[1].gpu_time, "40\u202fns");
  EXPECT_EQ(content.missed_kernels.total, "100\u202fns in 2 kernels");
}

TEST(Dashboard, ListsTheLargestKernelsThatDoNotUseTensorCores) {
  testing::Sketch sketch;
  const auto forward = sketch.instance(sketch.op("forward"), 0, 4000);
  sketch.kernel(forward, 0, 100, 0, "xmma", true);
  for (int64_t i = 0; i < 30; ++i) {
    sketch.kernel(forward, 100 * (i + 1), 100 * (i + 1) + 10 + i, 0, "k" + std::to_string(i));
  }
  const DashboardContent content = OpenRun(sketch.finish()).content();
  ASSERT_EQ(content.missed_kernels.rows.size(), 25U);
  EXPECT_EQ(content.missed_kernels.rows[0].name, "k29");
  EXPECT_EQ(content.missed_kernels.rows[24].name, "k5");
  EXPECT_EQ(content.missed_kernels.total, "735\u202fns in 30 kernels");
  EXPECT_EQ(content.missed_kernels.more, "and 5 more");
}

TEST(Dashboard, OfARealRunListsTheKernelsThatDoNotUseTensorCores) {
  DLVIEW_REQUIRE_TEST_DATA();
  base::Progress progress;
  auto opened = import::open_profile(
      *testing::test_data_folder() / "nsys/2023.4_dataloader_bound_59_steps.sqlite", progress);
  ASSERT_TRUE(opened);
  const OpenRun run(std::make_shared<const profile::Profile>(std::move(*opened)));
  const int64_t missed_ns =
      run.aggregation.eligible_kernel_ns - run.aggregation.tensor_core_kernel_ns;
  int64_t listed_ns = 0;
  for (const auto& kernels :
       aggregate::kernels_without_tensor_cores(*run.profile, run.aggregation)) {
    listed_ns += kernels.gpu.sum;
  }
  EXPECT_GT(missed_ns, 0);
  EXPECT_EQ(listed_ns, missed_ns);
}

TEST(Dashboard, EveryPartCarriesItsValueInFull) {
  const DashboardContent content = two_gpus().content();
  EXPECT_EQ(content.waterfall.steps[0].full, "150\u202fns · 15.000000%");
  EXPECT_EQ(content.tensor_core_efficiency[1].metric.text(), "tensor_core_missed");
  EXPECT_NE(content.tensor_core_efficiency[1].opens, "");
  EXPECT_EQ(content.summary[0].full, "1,000\u202fns");
  EXPECT_EQ(content.summary[1].note, "one iteration only");
}

TEST(Dashboard, KernelDetailsCountDistinctNamesAndMemoryAmongAll) {
  const auto rows = prepare_kernel_details(two_gpus().aggregation, palette(ThemeKind::dark));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].gpu_time, "500\u202fns");
  EXPECT_EQ(rows[0].label, "All kernels and memory");
  EXPECT_EQ(rows[0].names, "3") << "the title says what it counts";
  EXPECT_EQ(rows[1].gpu_time, "300\u202fns");
  EXPECT_EQ(rows[2].names, "1");
  EXPECT_EQ(rows[3].full_gpu_time, "100\u202fns");
}

TEST(Dashboard, SystemConfigurationLeavesUnknownFactsEmpty) {
  profile::Profile profile;
  profile.devices.resize(3);
  profile.devices[0].name = profile.devices[2].name = "A100";
  profile.devices[1].name = "T4";
  profile.system.cpu_model = "EPYC";
  const std::vector<KeyValue> system = prepare_system(profile, "9.9");
  ASSERT_EQ(system.size(), 12u);
  EXPECT_EQ(system[0].value, "");
  EXPECT_EQ(system[1].value, "3");
  EXPECT_EQ(system[2].value, "2 × A100, T4");
  EXPECT_EQ(system[3].value, "EPYC");
  EXPECT_EQ(system[11].value, "9.9");
}

TEST(Dashboard, SystemConfigurationOfATraceHasRecordedFactsOnly) {
  profile::Profile profile;
  profile.trace.emplace().capture.recorder = profile::Recorder::pytorch_profiler;
  profile.system.cuda_version = "12.8";
  const std::vector<KeyValue> system = prepare_system(profile, "9.9");
  for (const KeyValue& row : system) EXPECT_NE(row.value, "") << row.id;
  EXPECT_EQ(std::ranges::count(system, "cuda", &KeyValue::id), 1);
}

// A finding with savings of 300 ns of an iteration of 1,000 ns, and one of which no time is known.
FindingRows two_findings() {
  return prepare_findings({}, {},
                          {{{{"gpu_idle", "GPU idle for 300 ns", "Look", "", ""}, 300, "idle time"},
                            {{"configuration_detector", "Plain", "", "", ""}, {}, ""}},
                           {}},
                          {}, 1000);
}

TEST(Dashboard, HeadlineNamesTheLargestSavings) {
  const std::vector<KeyFigure> summary = two_gpus().content().summary;
  const FindingRows findings = two_findings();
  const std::vector<KeyFigure> headline = prepare_headline(summary, &findings);
  ASSERT_EQ(headline.size(), 6U);
  EXPECT_EQ(headline[0].id, "average_iteration");
  EXPECT_EQ(headline[1].id, "gpu_utilization");
  EXPECT_EQ(headline[2].value, "300\u202fns");
  EXPECT_EQ(headline[2].suffix, "30.0%");
  EXPECT_EQ(headline[2].note, "GPU idle");
}

TEST(Dashboard, HeadlineHasNoSavingsWithoutFindings) {
  const std::vector<KeyFigure> summary = two_gpus().content().summary;
  EXPECT_EQ(prepare_headline(summary, nullptr)[2].note, "analyzing…");
  const FindingRows none;
  EXPECT_EQ(prepare_headline(summary, &none)[2].value, "–");
  EXPECT_EQ(prepare_headline(summary, &none)[2].note, "no findings");
}

TEST(Dashboard, NamesNoFindingWithoutSavings) {
  FindingRows findings;
  findings.rows.emplace_back().title = "No iterations (DLProf)";
  const std::vector<KeyFigure> summary = two_gpus().content().summary;
  EXPECT_EQ(prepare_headline(summary, &findings)[2].note, "savings unknown");
}

TEST(Dashboard, UnfoldsTheFirstFindingsUntilChosen) {
  const std::vector<FindingRow> rows = two_findings().rows;
  UnfoldedFindings unfolded;
  EXPECT_TRUE(unfolded.contains(rows[0], 0));
  EXPECT_FALSE(unfolded.contains(rows[1], 1));
  unfolded.chosen["gpu_idle"] = false;
  unfolded.chosen["configuration_detector"] = true;
  EXPECT_FALSE(unfolded.contains(rows[0], 0));
  EXPECT_TRUE(unfolded.contains(rows[1], 1));
}

TEST(Dashboard, SystemListsOnlyWhatIsKnown) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("step"), 0, 100);
  auto facts = std::make_shared<profile::Profile>(*sketch.finish());
  facts->system = {};
  facts->system.cpu_model = "EPYC";
  const DashboardContent content = OpenRun(facts).content();
  EXPECT_TRUE(std::ranges::none_of(content.system,
                                   [](const KeyValue& entry) { return entry.value.empty(); }));
  EXPECT_EQ(std::ranges::count(content.system, "EPYC", &KeyValue::value), 1);
  EXPECT_TRUE(content.unknown_system.starts_with("Not recorded: "));
  EXPECT_NE(content.unknown_system.find("GPU driver version"), std::string::npos);
}

}  // namespace
}  // namespace dlview::ui
