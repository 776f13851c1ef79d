// Findings of gaps and slices, and what a file cannot tell.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/rules/finding_report.h"
#include "aggregate/rules/steps.h"
#include "base/units.h"

namespace dlview::aggregate {
namespace {

TEST(Rules, KeepQuietBelowTheThreshold) {
  Steps steps;
  steps.kernel(0, 20, 100);
  steps.sync("cudaStreamSynchronize", 0, 30, 130);
  steps.kernel(0, 150, 990);  // 50 of 1999 ns are 2.5%
  steps.finish();
  const auto is_found = [&](IterationRange range, double saving) {
    return finding_of(steps.found(range, {.saving = saving}), "cuda_api_sync") != nullptr;
  };
  EXPECT_FALSE(is_found({0, 1}, 2.6));
  EXPECT_TRUE(is_found({0, 0}, 2.6));
  EXPECT_TRUE(is_found({0, 1}, 2.5));
}

TEST(Rules, FindKernelsThatTheHostLaunchesTooSlowly) {
  Steps steps;
  for (int64_t i = 0; i < 90; ++i) {
    steps.kernel(0, 20 + 10 * i, 24 + 10 * i);  // 4 ns each, launched every 10
  }
  steps.kernel(1, 1020, 1900);
  steps.finish();
  const auto findings = steps.found({0, 1});
  const Finding* finding = finding_of(findings, "launch_bound");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->figures->count, 89);
  EXPECT_EQ(finding->stake_ns, 89 * 6 / 2);
  EXPECT_EQ(finding->savings->iterations, 1);
  EXPECT_EQ(finding->advice.problem,
            "Launch-bound: the GPU waits for 44.5 launches per iteration, idle for 267\u202fns "
            "(26.7%)");
}

TEST(Rules, SayPerIterationOnceInCountsOfLaunches) {
  const auto text = [](int64_t iterations, int64_t count) {
    Aggregation aggregation;
    aggregation.iteration_table = std::make_shared<IterationTable>();
    aggregation.selection.range = {0, iterations - 1};
    return launches_text(RangeView(aggregation), count);
  };
  EXPECT_EQ(text(1, 1), "1 launch");
  EXPECT_EQ(text(1, 1234), "1,234 launches");
  EXPECT_EQ(text(2, 1), "1 launch in 2 iterations");
  EXPECT_EQ(text(2, 2), "1 launch per iteration");
  EXPECT_EQ(text(2, 5), "2.5 launches per iteration");
  EXPECT_EQ(text(2, 2469), "1,235 launches per iteration");
}

TEST(Rules, CallQueuedKernelsAndPausesOfTheHostNotLaunchBound) {
  Steps steps;
  for (int64_t i = 0; i < 40; ++i) {
    steps.kernel(0, 100 + 10 * i, 104 + 10 * i, {7, 1}, 80 + 8 * i);  // queued
  }
  for (int64_t i = 0; i < 9; ++i) steps.kernel(1, 1020 + 100 * i, 1024 + 100 * i);  // pauses
  steps.finish();
  EXPECT_EQ(finding_of(steps.found({0, 1}), "launch_bound"), nullptr);
}

TEST(Rules, FindGapsBetweenTheFirstAndTheLastWorkOfTheRange) {
  Steps steps;
  steps.kernel(0, 300, 400);
  steps.kernel(0, 350, 450);
  steps.kernel(0, 480, 500);    // a gap of 30
  steps.kernel(1, 1250, 1300);  // of 750, in step 0 where it begins
  steps.kernel(1, 1500, 1510);  // of 200
  steps.finish();
  AdviceThresholds thresholds;
  thresholds.gap = 20;  // of a median of 999: 199 ns
  const auto findings = steps.found({0, 1}, thresholds);
  const Finding* finding = finding_of(findings, "gpu_gaps");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->figures->count, 2);
  EXPECT_EQ(finding->figures->total_ns, 950);
  EXPECT_EQ(finding->stake_ns, 475);
  EXPECT_EQ(finding->places[0].iteration, 0);
  EXPECT_EQ(finding->places[0].start_ns, 500);
  EXPECT_EQ(steps.profile().instances.cpu_start_ns[finding->places[0].instance], 1010);
  EXPECT_EQ(finding_of(steps.found({0, 0}, thresholds), "gpu_gaps"), nullptr)
      << "the last work of step 0 begins no gap";
}

// Two processes take turns on a GPU: the GPU is never idle, although each process alone has gaps.
TEST(Rules, FindAGpuBusyIfAnyProcessUsesIt) {
  Steps steps;
  for (int64_t i = 0; i < 10; ++i) {
    steps.kernel(0, 200 * i, 200 * i + 100, {7, 1});
    steps.kernel(0, 200 * i + 100, 200 * i + 200, {8, 1});
  }
  steps.finish();
  ASSERT_EQ(steps.index().process_count(), 2);
  const AdviceThresholds any{.saving = 0, .gap = 1, .busy = 99};
  const auto findings = steps.found({0, 1}, any);
  for (const char* detector : {"gpu_idle", "gpu_gaps", "gpu_time_util"}) {
    EXPECT_EQ(finding_of(findings, detector), nullptr) << detector;
  }
}

TEST(Rules, FindLaunchGapsThatAnotherProcessEnds) {
  Steps steps;
  for (int64_t i = 0; i < 90; ++i) {
    steps.kernel(0, 20 + 10 * i, 24 + 10 * i, {i % 2 == 0 ? 7 : 8, 1});
  }
  steps.kernel(1, 1020, 1900);
  steps.finish();
  const auto findings = steps.found({0, 1});
  const Finding* finding = finding_of(findings, "launch_bound");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->figures->count, 88) << "the first launch of process 8 has none before it";
  EXPECT_EQ(finding->figures->total_ns, 88 * 6);
}

TEST(Rules, FindPartsOfTheRangeInWhichTheGpuDoesLittle) {
  Steps steps;
  // Parts of 66 or 67 ns. Busy in the first ten and, for 30 ns, in the last.
  steps.kernel(0, 0, 667);
  steps.kernel(1, 1970, 2100);
  steps.finish();
  const auto findings = steps.found({0, 1});
  const Finding* finding = finding_of(findings, "gpu_time_util");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->advice.problem, "GPU busy below 50% in 20 of 30 time slices");
  EXPECT_EQ(finding->figures->count, 20);
  EXPECT_EQ(finding->figures->total_ns, 2000 - 666);
  ASSERT_EQ(finding->places.size(), 1U) << "neighbors are one stretch";
  EXPECT_EQ(finding->places[0].start_ns, 666);
  EXPECT_DOUBLE_EQ(*finding->places[0].busy_percent, 100 * 31 / 1334.0);
  EXPECT_EQ(finding->stake_ns, (1334 - 31) / 2);
}

TEST(Rules, SaturateSumsOfHugeSizes) {
  constexpr int64_t kMostBytes = std::numeric_limits<int64_t>::max();
  Steps steps;
  for (const int64_t start_ns : {100, 300}) {
    steps.copy("cudaMemcpyAsync", 0, start_ns, start_ns + 5, kPinned, kDevice, kToDevice,
               kMostBytes, {start_ns + 10, start_ns + 110});
  }
  steps.kernel(0, 500, 990);
  steps.finish();
  const auto findings = steps.found({0, 0}, {.saving = 0});
  const Finding* finding = finding_of(findings, "exposed_copies_to_gpu");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->advice.recommendation.find("2 copies, " + base::format_bytes(kMostBytes)),
            std::string::npos)
      << finding->advice.recommendation;
}

TEST(Rules, SayWhatAFileCannotTell) {
  Steps steps;
  steps.kernel(0, 20, 90);
  steps.copy("cudaMemcpyAsync", 0, 100, 150, kPageable, kDevice, kToDevice);
  steps.memset("cudaMemset", 0, 200, 230, kPinned);
  steps.copy("cudaMemcpy", 0, 300, 330, kPageable, kDevice, kToDevice);
  steps.copy("cudaMemcpy", 0, 340, 350, kDevice, kPageable, kFromDevice, 8, {341, 349});
  steps.kernel(0, 400, 990);
  steps.finish(/*is_export=*/false);
  const auto untold = steps.index().untold();
  ASSERT_EQ(untold.size(), 3U);
  EXPECT_EQ(untold[0].detector, "cuda_memcpy_async");
  EXPECT_EQ(untold[1].detector, "cuda_memcpy_async_to_host");
  EXPECT_EQ(untold[2].detector, "cuda_memset_sync");
  const auto findings = steps.found({0, 1}, {.saving = 0});
  EXPECT_EQ(finding_of(findings, "cuda_memcpy_async"), nullptr);
  EXPECT_NE(finding_of(findings, "cuda_memcpy_sync"), nullptr);
  EXPECT_NE(finding_of(findings, "scalar_reads"), nullptr) << "its times tell";
}

TEST(Rules, SayWhatAnOldExportCannotTell) {
  Steps steps;
  steps.copy("cudaMemcpyAsync", 0, 100, 150, kPageable, kDevice, kToDevice);
  steps.forget_memory_kinds();
  steps.finish();
  ASSERT_EQ(steps.index().untold().size(), 2U);
  EXPECT_EQ(steps.index().untold()[0].detector, "cuda_memcpy_async");
  EXPECT_EQ(steps.index().untold()[1].detector, "cuda_memcpy_async_to_host");
}

}  // namespace
}  // namespace dlview::aggregate
