// The steps of the Dashboard's waterfall: they add up to the mean iteration, whatever is filtered
// or not recorded.
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "profile/recorded.h"
#include "support/sketch.h"
#include "ui/views/dashboard/shares.h"
#include "ui/views/dashboard/waterfall.h"

namespace dlview::ui {
namespace {

using aggregate::Category;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kReduceKernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

struct PreparedRun {
  std::shared_ptr<const profile::Profile> profile;
  aggregate::Aggregation aggregation;
  Waterfall waterfall;
};

PreparedRun prepared(std::shared_ptr<const profile::Profile> profile,
                     const aggregate::Selection& selection = {}) {
  PreparedRun result;
  result.profile = std::move(profile);
  result.aggregation = aggregate::make_cpu_aggregator(result.profile)->aggregate(selection);
  result.waterfall = prepare_waterfall(*result.profile, result.aggregation);
  return result;
}

// Of 1000 ns, GPU 0 runs Tensor Core kernels for 300 ns, other kernels for 100 ns and a copy for
// 100 ns; GPU 1 is idle; the host is in an op throughout.
std::shared_ptr<const profile::Profile> second_gpu_idle() {
  testing::Sketch sketch(2);
  const auto conv = sketch.instance(sketch.op("net/conv", "conv2d", true), 0, 600);
  sketch.kernel(conv, 100, 400, 0, "xmma", true);
  sketch.kernel(conv, 400, 500, 0, "transpose");
  const auto relu = sketch.instance(sketch.op("net/relu"), 600, 1000);
  sketch.copy(relu, 700, 800);
  return sketch.finish();
}

// Seven steps of lengths that no number of GPUs or iterations divides.
std::shared_ptr<const profile::Profile> uneven_run() {
  testing::Sketch sketch(3);
  const auto step = sketch.op("train/step");
  int64_t at = 0;
  for (int i = 0; i < 8; ++i) {
    const auto instance = sketch.instance(step, at, at + 50 + i);
    sketch.kernel(instance, at + 3, at + 20 + i, 0, "xmma", true);
    sketch.kernel(instance, at + 11, at + 40 + i, 1, "relu");
    sketch.kernel(instance, at + 17, at + 60, 2, kReduceKernel);
    sketch.kernel(instance, at + 30, at + 45, 2, "relu");
    sketch.copy(instance, at + 41, at + 71);
    at += 101 + 13 * i;
  }
  return sketch.finish();
}

aggregate::Selection split_at_step(int64_t first, int64_t last) {
  return {{aggregate::CutKind::start, "train/step", 0}, {first, last}};
}

std::vector<std::string> step_readings(const Waterfall& waterfall) {
  std::vector<std::string> texts;
  for (const WaterfallStep& step : waterfall.steps) {
    texts.push_back(step.id + ": " + step.share + " " + step.value);
  }
  return texts;
}

// Each step begins where the one before it ends; the last one ends with the iteration.
void expect_exact_sum(const Waterfall& waterfall) {
  int64_t at = 0;
  for (const WaterfallStep& step : waterfall.steps) {
    EXPECT_EQ(step.start_ns, at) << step.id;
    EXPECT_GE(step.duration_ns, 0) << step.id;
    at += step.duration_ns;
  }
  EXPECT_EQ(at, waterfall.mean_ns);
}

// The twin: the mean of one category, rounded down.
int64_t slow_mean(const aggregate::Aggregation& aggregation, Category category) {
  int64_t sum = 0;
  for (const aggregate::DeviceAggregate& device : aggregation.devices) {
    if (device.is_kept) sum += device.breakdown[category];
  }
  return sum / aggregation.iteration_table->device_count / aggregation.selection.range.size();
}

TEST(Waterfall, GivesExclusiveSharesOverAllGpus) {
  const Waterfall waterfall = prepared(second_gpu_idle()).waterfall;
  EXPECT_THAT(
      step_readings(waterfall),
      ElementsAre("tensor_core_kernels: 15.0% 150\u202fns", "other_kernels: 5.0% 50\u202fns",
                  "memory: 5.0% 50\u202fns", "data_loader: 0% 0", "io:  not recorded",
                  "cpu: 25.0% 250\u202fns", "other: 50.0% 500\u202fns"));
  expect_exact_sum(waterfall);
  EXPECT_EQ(waterfall.detail, "mean of 2 GPUs");
  EXPECT_EQ(waterfall.communication, "");
}

TEST(Waterfall, SaysHowMuchTensorCoreUseIsUnknown) {
  const PreparedRun run = prepared(second_gpu_idle());
  const auto note = [&](std::optional<int64_t> unknown_ns) {
    return prepare_waterfall(*run.profile, run.aggregation, unknown_ns).unknown_use;
  };
  const int64_t kernels_ns = run.aggregation.all_kernels.gpu_ns;
  ASSERT_GE(kernels_ns, 100);
  EXPECT_EQ(note(std::nullopt), "");
  EXPECT_EQ(note(0), "");
  EXPECT_EQ(note(kernels_ns / 101), "") << "less than a percent";
  EXPECT_EQ(note(kernels_ns / 4),
            "Other kernels include unknown Tensor Core use: 25.0% of kernel time");
}

TEST(Waterfall, AddsUpToTheMeanExactly) {
  for (int64_t last = 1; last <= 7; ++last) {
    const PreparedRun run = prepared(uneven_run(), split_at_step(1, last));
    EXPECT_EQ(run.waterfall.mean_ns, run.aggregation.range_ns / last);
    expect_exact_sum(run.waterfall);
  }
}

TEST(Waterfall, ShowsMeansOfTheBreakdown) {
  const PreparedRun run = prepared(uneven_run(), split_at_step(1, 5));
  const std::vector<WaterfallStep>& steps = run.waterfall.steps;
  ASSERT_EQ(steps.size(), 8U);
  EXPECT_EQ(steps[0].duration_ns, slow_mean(run.aggregation, Category::tensor_core_kernels));
  EXPECT_EQ(steps[2].id, "communication_exposed");
  EXPECT_NEAR(static_cast<double>(steps[1].duration_ns + steps[2].duration_ns),
              static_cast<double>(slow_mean(run.aggregation, Category::other_kernels)), 1);
  EXPECT_EQ(steps[3].duration_ns, slow_mean(run.aggregation, Category::memory));
  EXPECT_EQ(steps[6].duration_ns, slow_mean(run.aggregation, Category::cpu));
  EXPECT_EQ(run.waterfall.detail, "mean of 5 iterations and 3 GPUs");
}

TEST(Waterfall, TakesExposedCommunicationFromOtherKernels) {
  testing::Sketch sketch(2);
  const auto step = sketch.instance(sketch.op("step"), 0, 1000);
  sketch.kernel(step, 100, 300, 0, kReduceKernel);
  sketch.kernel(step, 200, 400, 0);
  const Waterfall waterfall = prepared(sketch.finish()).waterfall;
  EXPECT_EQ(step_readings(waterfall)[1], "other_kernels: 10.0% 100\u202fns");
  EXPECT_EQ(step_readings(waterfall)[2], "communication_exposed: 5.0% 50\u202fns");
  expect_exact_sum(waterfall);
  EXPECT_EQ(waterfall.communication,
            "Communication 100\u202fns (10.0%): 50\u202fns exposed, 50\u202fns overlapped by "
            "other kernels");
}

TEST(Waterfall, AddsUpWhereFilesCallCommunicationTensorCore) {
  testing::Sketch sketch;
  const auto step = sketch.instance(sketch.op("step"), 0, 1000);
  sketch.kernel(step, 100, 300, 0, kReduceKernel, true);
  const Waterfall waterfall = prepared(sketch.finish()).waterfall;
  EXPECT_EQ(waterfall.steps[0].duration_ns, 0);
  EXPECT_EQ(waterfall.steps[2].duration_ns, 200);
  expect_exact_sum(waterfall);
}

TEST(Waterfall, CountsMatchingGpusOnly) {
  aggregate::Selection selection;
  selection.filters = {{.kind = aggregate::FilterKind::device, .number = 0}};
  const Waterfall waterfall = prepared(second_gpu_idle(), selection).waterfall;
  EXPECT_EQ(step_readings(waterfall)[0], "tensor_core_kernels: 30.0% 300\u202fns");
  EXPECT_EQ(step_readings(waterfall)[1], "other_kernels: 10.0% 100\u202fns");
  expect_exact_sum(waterfall);
  selection.filters[0].number = 7;
  EXPECT_THAT(prepared(second_gpu_idle(), selection).waterfall.steps, IsEmpty());
  EXPECT_EQ(prepared(second_gpu_idle(), selection).waterfall.why_none,
            "No GPU matches the filters.");
}

TEST(Waterfall, GivesFilteredTimeToOther) {
  aggregate::Selection selection;
  selection.filters = {{.kind = aggregate::FilterKind::tensor_core, .number = 1}};
  const Waterfall waterfall = prepared(second_gpu_idle(), selection).waterfall;
  EXPECT_EQ(step_readings(waterfall)[0], "tensor_core_kernels: 15.0% 150\u202fns");
  EXPECT_EQ(step_readings(waterfall)[1], "other_kernels: 0% 0");
  expect_exact_sum(waterfall);
}

TEST(Waterfall, SaysWhatWasNotRecorded) {
  auto facts = std::make_shared<profile::Profile>(*second_gpu_idle());
  facts->not_recorded.push_back({std::string(profile::kNoDataLoader), ""});
  const Waterfall waterfall = prepared(facts).waterfall;
  EXPECT_EQ(step_readings(waterfall)[3], "data_loader:  not recorded");
  EXPECT_FALSE(waterfall.steps[3].is_recorded);
  EXPECT_EQ(waterfall.steps[3].duration_ns, 0);
  EXPECT_NE(waterfall.steps[3].hint, "") << "findings may still speak of data loading";
  EXPECT_NE(waterfall.data_loading, "") << "without the mouse, too";
  expect_exact_sum(waterfall);
}

TEST(Waterfall, HasNoZerosWithoutGpuActivity) {
  testing::Sketch sketch(1);
  sketch.instance(sketch.op("step/load"), 0, 1000);
  auto facts = std::make_shared<profile::Profile>(*sketch.finish());
  facts->trace.emplace();
  facts->not_recorded = {{std::string(profile::kNoGpuWorkAndCalls), ""}};
  const Waterfall waterfall = prepared(facts).waterfall;
  EXPECT_THAT(step_readings(waterfall),
              ElementsAre("tensor_core_kernels:  not recorded", "other_kernels:  not recorded",
                          "memory:  not recorded", "data_loader: 0% 0", "io:  not recorded",
                          "cpu: 100% 1.00\u202fµs", "other: 0% 0"));
  EXPECT_EQ(waterfall.data_loading, "");
  expect_exact_sum(waterfall);
}

TEST(Waterfall, IsEmptyWithoutGpus) {
  testing::Sketch sketch(0);
  sketch.instance(sketch.op("relu"), 0, 100);
  const Waterfall waterfall = prepared(sketch.finish()).waterfall;
  EXPECT_THAT(waterfall.steps, IsEmpty());
  EXPECT_EQ(waterfall.why_none, kNoDevices);
}

TEST(Waterfall, SurvivesIterationsWithoutDuration) {
  PreparedRun run = prepared(second_gpu_idle());
  run.aggregation.range_ns = 0;
  run.aggregation.breakdown = {};
  const Waterfall waterfall = prepare_waterfall(*run.profile, run.aggregation);
  EXPECT_EQ(waterfall.mean_ns, 0);
  EXPECT_EQ(step_readings(waterfall)[0], "tensor_core_kernels: 0% 0");
  expect_exact_sum(waterfall);
}

}  // namespace
}  // namespace dlview::ui
