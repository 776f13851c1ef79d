// Findings of calls in which the host blocks, and what they cost.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/rules/steps.h"

namespace dlview::aggregate {
namespace {

TEST(Rules, FindCopiesOfPageableMemoryByDirectionAndSize) {
  Steps steps;
  steps.kernel(0, 20, 90);
  steps.copy("cudaMemcpyAsync_v3020", 0, 100, 150, kPageable, kDevice, kToDevice, kLarge,
             {105, 149});
  steps.kernel(0, 160, 190);
  steps.copy("cudaMemcpyAsync", 0, 200, 220, kPinned, kDevice, kToDevice);
  steps.copy("cudaMemcpyAsync", 0, 230, 231, kPageable, kDevice, kToDevice, kLarge - 1);
  steps.kernel(0, 300, 390);
  steps.copy("cuMemcpyDtoHAsync_v2", 1, 1200, 1230, kDevice, kPageable, kFromDevice, 17,
             {1202, 1229});
  steps.kernel(1, 1250, 1990);
  steps.copy("cudaMemcpyAsync", 1, 1300, 1310, kDevice, kDevice, kOnDevice);
  steps.finish();
  const auto findings = steps.found({0, 1});
  const Finding* finding = finding_of(findings, "cuda_memcpy_async");
  ASSERT_NE(finding, nullptr);
  // The GPU is idle from 90 to 160, the host blocks for 50.
  EXPECT_EQ(finding->advice.problem,
            "Pageable host-to-device copies block the host once in 2 iterations: up to "
            "25\u202fns per iteration (2.5%)");
  EXPECT_EQ(finding->figures, (FindingFigures{1, 50, 100 * 50 / 1999.0}));
  EXPECT_EQ(finding->stake_ns, 25);
  EXPECT_EQ(steps.profile().text(steps.profile().ops.name[finding->op]), "copy");
  EXPECT_EQ(steps.profile().threads[finding->thread], (profile::Thread{7, 1}));
  EXPECT_EQ(finding->savings, (Savings{25, 0, 1, {0}}));
  ASSERT_EQ(finding->places.size(), 1U);
  const FindingPlace& worst = finding->places[0];
  EXPECT_EQ(worst.iteration, 0);
  EXPECT_EQ(worst.start_ns, 100);
  EXPECT_EQ(worst.duration_ns, 50);
  EXPECT_EQ(worst.stake_ns, 50);
  EXPECT_EQ(steps.profile().text(worst.call), "cudaMemcpyAsync_v3020");
  EXPECT_EQ(steps.profile().instances.cpu_start_ns[worst.instance], 10);
  const AdviceThresholds any{.saving = 0};
  const auto all = steps.found({0, 1}, any);
  const Finding* to_host = finding_of(all, "cuda_memcpy_async_to_host");
  ASSERT_NE(to_host, nullptr);
  EXPECT_EQ(to_host->figures->count, 1);
  EXPECT_EQ(to_host->stake_ns, 15);
  EXPECT_EQ(finding_of(all, "scalar_reads"), nullptr);
}

// The host reads a file between a copy and the synchronization behind it: that is no wait.
TEST(Rules, ExcludeHostTimeBetweenAScalarAndItsSync) {
  Steps steps;
  steps.kernel(0, 20, 90);
  steps.copy("cudaMemcpyAsync", 0, 30, 100, kDevice, kPageable, kFromDevice, 4, {91, 92});
  steps.sync("cudaStreamSynchronize", 0, 700, 706);
  steps.kernel(0, 800, 990);
  steps.finish();
  const auto findings = steps.found({0, 0}, {.saving = 0});
  const Finding* finding = finding_of(findings, "scalar_reads");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->figures->count, 1);
  EXPECT_EQ(finding->figures->total_ns, 70 + 6);
  EXPECT_EQ(finding->stake_ns, 70 + 6);
}

// A copy on a side stream is done after the host has waited for a kernel.
TEST(Rules, KeepSynchronizationsThatIgnoreTheScalarBefore) {
  Steps steps;
  steps.kernel(0, 20, 390);
  steps.copy("cudaMemcpyAsync", 0, 90, 95, kDevice, kPinned, kFromDevice, 4, {399, 405});
  steps.sync("cudaStreamSynchronize", 0, 100, 400);
  steps.kernel(0, 500, 990);
  steps.finish();
  const auto findings = steps.found({0, 0}, {.saving = 0});
  EXPECT_EQ(finding_of(findings, "scalar_reads"), nullptr);
  const Finding* finding = finding_of(findings, "cuda_api_sync");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->figures->total_ns, 300);
}

// A copy to pageable memory returns when it is done; PyTorch synchronizes behind it.
TEST(Rules, FindReadsOfAScalarWithTheSynchronizationBehindThem) {
  Steps steps;
  for (const std::size_t step : {0U, 1U}) {
    const auto start = static_cast<int64_t>(1000 * step);
    steps.kernel(step, start + 20, start + 400);
    steps.copy("cudaMemcpyAsync", step, start + 30, start + 410, kDevice, kPageable, kFromDevice, 4,
               {start + 401, start + 402});
    steps.sync("cudaStreamSynchronize", step, start + 411, start + 415);
    steps.kernel(step, start + 500, start + 990);
  }
  steps.finish();
  const auto findings = steps.found({0, 1});
  EXPECT_EQ(finding_of(findings, "cuda_memcpy_async_to_host"), nullptr);
  EXPECT_EQ(finding_of(findings, "cuda_memcpy_async"), nullptr);
  EXPECT_EQ(finding_of(findings, "cuda_api_sync"), nullptr) << "it is part of the read";
  const Finding* finding = finding_of(findings, "scalar_reads");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->advice.problem,
            "Scalar reads block the host once per iteration: up to 115\u202fns per "
            "iteration (11.5%)");
  EXPECT_EQ(finding->figures->total_ns, 2 * (380 + 4)) << "without what lies between copy and wait";
  EXPECT_EQ(finding->stake_ns, (2 * 100 + 30) / 2) << "400 to 500 twice, and 990 to 1020";
  EXPECT_EQ(finding->savings->iterations, 2);
}

TEST(Rules, TakeOnlyCopiesThatTheHostWaitsForAsScalarReads) {
  Steps steps;
  steps.kernel(0, 20, 400);
  steps.copy("cudaMemcpyAsync", 0, 30, 40, kDevice, kPinned, kFromDevice, 4, {401, 402});
  steps.kernel(0, 500, 990);
  steps.copy("cudaMemcpyAsync", 1, 1030, 1040, kDevice, kPinned, kFromDevice, 4, {1041, 1042});
  steps.kernel(1, 1050, 1400);
  steps.sync("cudaStreamSynchronize", 1, 1060, 1410);
  steps.kernel(1, 1500, 1990);
  steps.finish();
  const auto findings = steps.found({0, 1}, {.saving = 0});
  EXPECT_EQ(finding_of(findings, "scalar_reads"), nullptr);
  const Finding* waits = finding_of(findings, "cuda_api_sync");
  ASSERT_NE(waits, nullptr) << "it waits for the kernel behind the copy";
  EXPECT_EQ(waits->figures->count, 1);
}

// Which call launched the kernel behind the gap is not recorded.
TEST(Rules, SaveNoGapThatEndsWithoutARecordedLaunch) {
  const auto saved_ns = [](int64_t latency_ns) {
    Steps steps;
    steps.kernel(0, 20, 90);
    steps.sync("cudaStreamSynchronize", 0, 30, 300);
    steps.kernel(0, 400, 990, {7, 1}, latency_ns);
    steps.finish();
    const auto findings = steps.found({0, 0}, {.saving = 0});
    const Finding* finding = finding_of(findings, "cuda_api_sync");
    return finding == nullptr ? 0 : finding->stake_ns.value_or(0);
  };
  EXPECT_EQ(saved_ns(2), 270);
  EXPECT_EQ(saved_ns(0), 0);
}

TEST(Rules, GiveUnifiedMemoryMigrationsTheirOwnAdvice) {
  Steps steps;
  steps.kernel(0, 20, 90);
  steps.copy("", 0, 100, 100, kManaged, kManaged, profile::CopyKind::migration_to_device, kLarge,
             {100, 300});
  steps.kernel(0, 400, 990);
  steps.finish();
  const auto findings = steps.found({0, 0}, {.saving = 0});
  EXPECT_EQ(finding_of(findings, "memory_operations_detector"), nullptr);
  const Finding* finding = finding_of(findings, "exposed_copies_to_gpu");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->stake_ns, 200);
  EXPECT_NE(finding->advice.recommendation.find("cudaMemPrefetchAsync"), std::string::npos)
      << finding->advice.recommendation;
}

TEST(Rules, LeaveOutWhatBlocksAThreadThatDoesNotLaunch) {
  Steps steps;
  steps.kernel(0, 20, 400);
  steps.sync("cudaStreamSynchronize", 0, 30, 410, {7, 9});
  steps.kernel(0, 500, 990);
  steps.finish();
  EXPECT_TRUE(steps.index().calls(profile::InstanceIndex{0}, profile::InstanceIndex()).empty());
}

TEST(Rules, FindAllocationsOfIterationsThatAreNoWarmUp) {
  Steps steps;
  steps.kernel(0, 20, 100);
  steps.call("cudaMalloc_v3020", 0, 30, 200);
  steps.call("cudaMallocAsync_v11020", 0, 210, 215);
  steps.call("cudaMallocFromPoolAsync", 0, 216, 217);
  steps.kernel(0, 300, 990);
  steps.kernel(1, 1020, 1100);
  steps.call("cudaFree_v3020", 1, 1030, 1130);
  steps.kernel(1, 1190, 1990);
  steps.finish();
  const auto findings = steps.found({0, 1});
  const Finding* finding = finding_of(findings, "blocking_allocations");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->figures->count, 2);
  // 170 of the 200 ns from 100 to 300, and all of the 90 from 1100 to 1190.
  EXPECT_EQ(finding->stake_ns, (170 + 90) / 2);
}

TEST(Rules, CountTheCallsOfTheRangeOnly) {
  Steps steps;
  for (const std::size_t step : {0U, 1U}) {
    const auto start = static_cast<int64_t>(1000 * step);
    steps.kernel(step, start + 20, start + 100);
    steps.copy("cudaMemcpyAsync", step, start + 110, start + 160, kPageable, kDevice, kToDevice);
    steps.kernel(step, start + 200, start + 990);
  }
  steps.finish();
  const auto findings = steps.found({1, 1});
  ASSERT_NE(finding_of(findings, "cuda_memcpy_async"), nullptr);
  EXPECT_EQ(finding_of(findings, "cuda_memcpy_async")->figures->total_ns, 50);
  EXPECT_EQ(finding_of(findings, "cuda_memcpy_async")->places[0].iteration, 1);
}

TEST(Rules, FindSynchronousCopiesThatBlockTheHost) {
  Steps steps;
  steps.kernel(0, 20, 90);
  steps.copy("cudaMemcpy_v3020", 0, 100, 150, kPageable, kDevice, kToDevice);
  steps.copy("cudaMemcpy", 0, 200, 201, kPageable, kDevice, kToDevice, kLarge - 1);  // returns
  steps.copy("cudaMemcpy", 0, 300, 400, kDevice, kDevice, kOnDevice);                // returns
  steps.kernel(0, 500, 990);
  steps.copy("cuMemcpyDtoH_v2", 1, 1200, 1210, kDevice, kPinned, kFromDevice, 400);
  steps.copy("cudaGraphLaunch", 1, 1300, 1400, kDevice, kPageable, kFromDevice);
  steps.finish();
  const auto findings = steps.found({0, 1});
  const Finding* finding = finding_of(findings, "cuda_memcpy_sync");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->figures->count, 2);
  EXPECT_EQ(finding->figures->total_ns, 60);
  EXPECT_EQ(finding_of(findings, "cuda_memcpy_async"), nullptr);
}

TEST(Rules, FindSynchronousMemsetsOfHostMemory) {
  Steps steps;
  steps.kernel(0, 20, 90);
  steps.memset("cudaMemset_v3020", 0, 100, 150, kDevice);
  steps.memset("cudaMemset_v3020", 0, 200, 230, kPinned);
  steps.memset("cuMemsetD8_v2", 0, 300, 310, kManaged);
  steps.memset("cudaMemsetAsync", 0, 320, 400, kPinned);
  steps.kernel(0, 500, 990);
  steps.finish();
  const auto findings = steps.found({0, 1});
  const Finding* finding = finding_of(findings, "cuda_memset_sync");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->figures->count, 2);
  EXPECT_EQ(finding->figures->total_ns, 40);
  EXPECT_EQ(finding->stake_ns, 20);
}

TEST(Rules, FindSynchronizationsOnceForEachCall) {
  Steps steps;
  steps.kernel(0, 50, 260);
  steps.sync("cudaStreamSynchronize_v3020", 0, 100, 200);
  steps.sync("cudaStreamSynchronize_v3020", 0, 100, 200);  // a second row of the same call
  steps.kernel(0, 150, 151, {7, 2});                       // both threads launch
  steps.sync("cudaDeviceSynchronize", 0, 150, 250, {7, 2});
  steps.sync("cudaEventSynchronize", 0, 265, 270);
  steps.call("cuCtxSynchronize", 1, 1100, 1150);  // no row of synchronization
  steps.kernel(1, 1200, 1990);
  steps.finish();
  const auto findings = steps.found({0, 1});
  const Finding* finding = finding_of(findings, "cuda_api_sync");
  ASSERT_NE(finding, nullptr);
  // 100 to 250 and 1100 to 1150: at least one thread waits.
  EXPECT_EQ(finding->figures, (FindingFigures{3, 250, 100 * 200 / 1999.0}));
}

TEST(Rules, SaveTheIdleTimeBehindASynchronizationUpToItsLength) {
  Steps steps;
  steps.kernel(0, 50, 180);
  steps.sync("cudaStreamSynchronize", 0, 100, 200);
  steps.kernel(0, 230, 300);  // idle for 50
  steps.sync("cudaStreamSynchronize", 0, 290, 310);
  steps.kernel(0, 400, 990);                // idle for 100, of which the two have 70 left
  steps.kernel(1, 1020, 1300, {7, 1}, 50);  // was queued
  steps.sync("cudaStreamSynchronize", 1, 1100, 1300);
  steps.kernel(1, 1300, 1990, {7, 1}, 50);  // was queued
  steps.finish();
  const auto findings = steps.found({0, 1});
  const Finding* finding = finding_of(findings, "cuda_api_sync");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->figures->count, 3);
  EXPECT_EQ(finding->stake_ns, (100 + 20) / 2);
  EXPECT_EQ(finding->thresholds, (std::vector<std::string_view>{"saving"}));
  ASSERT_EQ(finding->places.size(), 2U) << "the worst two";
  EXPECT_EQ(finding->places[0].start_ns, 100);
  EXPECT_EQ(finding->places[0].stake_ns, 100);
  EXPECT_EQ(finding->places[1].start_ns, 290);
  EXPECT_EQ(finding->places[1].stake_ns, 20);
  EXPECT_EQ(finding_of(steps.found({1, 1}), "cuda_api_sync"), nullptr)
      << "a wait that costs nothing";
}

TEST(Rules, WhatSynchronizationsCostIsAMeanOverTheProcesses) {
  Steps steps;
  for (const int64_t process : {7, 8}) {
    steps.kernel(0, 20, 100, {process, 1});
    steps.sync("cudaStreamSynchronize", 0, 30, 130, {process, 1});
    steps.kernel(0, process == 7 ? 140 : 180, 990, {process, 1});
  }
  steps.finish();
  const auto findings = steps.found({0, 1});
  const Finding* finding = finding_of(findings, "cuda_api_sync");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->figures->total_ns, 200);
  EXPECT_EQ(finding->stake_ns, (40 + 80) / 2 / 2);
}

TEST(Rules, RecognizeManagedAndUnknownMemory) {
  Steps steps;
  steps.kernel(0, 20, 90);
  steps.memset("cudaMemset", 0, 100, 130, profile::MemoryKind::managed_static);
  steps.copy("cudaMemcpyAsync", 0, 140, 150, profile::MemoryKind::unknown, kDevice, kToDevice);
  steps.copy("cudaMemcpyAsync", 0, 160, 260, kPageable, profile::MemoryKind::unknown, kToDevice);
  steps.kernel(0, 300, 990);
  steps.finish();
  const auto findings = steps.found({0, 1}, {.saving = 0});
  EXPECT_NE(finding_of(findings, "cuda_memset_sync"), nullptr);
  ASSERT_NE(finding_of(findings, "cuda_memcpy_async"), nullptr);
  EXPECT_EQ(finding_of(findings, "cuda_memcpy_async")->figures->count, 1);
  ASSERT_EQ(steps.index().untold().size(), 2U);
  EXPECT_EQ(steps.index().untold()[0].detector, "cuda_memcpy_async");
  EXPECT_EQ(steps.index().untold()[1].detector, "cuda_memcpy_async_to_host");
}

}  // namespace
}  // namespace dlview::aggregate
