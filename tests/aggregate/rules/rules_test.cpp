#include "aggregate/rules/rules.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/findings.h"
#include "profile/builder.h"
#include "support/random_profile.h"

namespace dlview::aggregate {
namespace {

using profile::MemoryOpKind;
using profile::Row;

constexpr int16_t kPageable = 0, kPinned = 1, kDevice = 2, kManaged = 4;
constexpr int8_t kToDevice = 1, kFromDevice = 2, kOnDevice = 8;
constexpr int64_t kLarge = 64 * 1024 + 1;

// An export of two steps of 999 and 1000 ns, from 0 to 999 and from 1000 to 2000, whose memory
// operations are of one op.
class Steps {
 public:
  Steps() {
    builder_.add_device({});
    thread_ = builder_.intern_thread({7, 1});
    const Row step = add_op("step");
    const Row copy = add_op("copy");
    for (const int64_t start : {0, 1000}) {
      add_instance(step, start, start + 1);
      instances_.push_back(add_instance(copy, start + 10, start + 990));
    }
    add_instance(step, 2001, 2002);
  }

  // In step 0 or 1; its call lasts from start to stop.
  void copy(std::string_view call, std::size_t step, int64_t start_ns, int64_t stop_ns,
            int16_t src_kind, int16_t dst_kind, int8_t copy_kind, int64_t bytes = kLarge,
            base::Interval gpu = {}) {
    src_kinds_.push_back(src_kind);
    dst_kinds_.push_back(dst_kind);
    add_memory_op(MemoryOpKind::memcpy, call, step, start_ns, stop_ns, copy_kind, bytes,
                  src_kinds_.size(), gpu);
  }
  void memset(std::string_view call, std::size_t step, int64_t start_ns, int64_t stop_ns,
              int16_t memory_kind) {
    memory_kinds_.push_back(memory_kind);
    add_memory_op(MemoryOpKind::memset, call, step, start_ns, stop_ns, 0, 1, memory_kinds_.size());
  }
  void sync(std::string_view call, std::size_t step, int64_t start_ns, int64_t stop_ns,
            profile::Thread thread = {7, 1}) {
    builder_.add_sync({.instance = instances_[step],
                       .name = builder_.intern(call),
                       .api_start_ns = start_ns,
                       .api_stop_ns = stop_ns,
                       .thread = builder_.intern_thread(thread)});
  }
  void call(std::string_view name, std::size_t step, int64_t start_ns, int64_t stop_ns) {
    builder_.add_api_call({.instance = instances_[step],
                           .name = builder_.intern(name),
                           .api_start_ns = start_ns,
                           .api_stop_ns = stop_ns,
                           .thread = thread_});
  }
  // Launched `latency_ns` before it starts.
  void kernel(std::size_t step, int64_t start_ns, int64_t stop_ns, profile::Thread thread = {7, 1},
              int64_t latency_ns = 2) {
    builder_.add_kernel(
        {.instance = instances_[step],
         .api_start_ns = start_ns - latency_ns,
         .api_stop_ns = start_ns - latency_ns,
         .gpu_start_ns = start_ns,
         .gpu_stop_ns = stop_ns,
         .launch = builder_.intern_launch({{}, {}, 0, builder_.intern_thread(thread)})});
  }
  void forget_memory_kinds() {
    src_kinds_.clear();
    memory_kinds_.clear();
  }

  void finish(bool is_export = true) {
    profile::Profile profile = std::move(builder_).finish();
    if (is_export) {
      profile.trace.emplace();
      profile.trace->memcpys.src_kind = src_kinds_;
      profile.trace->memcpys.dst_kind = dst_kinds_;
      profile.trace->memsets.memory_kind = memory_kinds_;
    }
    profile_ = std::make_shared<const profile::Profile>(std::move(profile));
    index_ = std::make_unique<const RuleIndex>(*profile_);
  }

  // Of a finished run.
  std::vector<Finding> found(IterationRange range, const AdviceThresholds& thresholds = {}) const {
    const Aggregation aggregation =
        make_cpu_aggregator(profile_)->aggregate({{CutKind::start, "step", 0}, range});
    return find_findings(*profile_, aggregation, thresholds, index_.get(), 2).findings;
  }
  const profile::Profile& profile() const { return *profile_; }
  const RuleIndex& index() const { return *index_; }

 private:
  Row add_op(std::string_view name) {
    profile::OpRow row;
    row.id = row.name = builder_.intern(name);
    return builder_.add_op(row);
  }
  Row add_instance(Row op, int64_t start_ns, int64_t stop_ns) {
    profile::OpInstanceRow row;
    row.op = op;
    row.cpu_start_ns = start_ns;
    row.cpu_stop_ns = stop_ns;
    row.thread = thread_;
    return builder_.add_instance(row);
  }
  void add_memory_op(MemoryOpKind kind, std::string_view call, std::size_t step, int64_t start_ns,
                     int64_t stop_ns, int8_t copy_kind, int64_t bytes, std::size_t source_id,
                     base::Interval gpu = {}) {
    builder_.add_memory_op({.instance = instances_[step],
                            .kind = kind,
                            .name = builder_.intern(call),
                            .copy_kind = copy_kind,
                            .bytes = bytes,
                            .api_start_ns = start_ns,
                            .api_stop_ns = stop_ns,
                            .gpu_start_ns = gpu.start_ns,
                            .gpu_stop_ns = gpu.stop_ns,
                            .thread = thread_,
                            .source_id = static_cast<int64_t>(source_id)});
  }

  profile::ProfileBuilder builder_;
  Row thread_ = 0;
  std::vector<Row> instances_;
  std::vector<int16_t> src_kinds_, dst_kinds_, memory_kinds_;
  std::shared_ptr<const profile::Profile> profile_;
  std::unique_ptr<const RuleIndex> index_;
};

const Finding* finding_of(const std::vector<Finding>& findings, std::string_view detector) {
  return find_finding(findings, detector);
}

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
            "25\u202fns per iteration (2.5\u202f%)");
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
  EXPECT_EQ(worst.process_id, 7);
  const AdviceThresholds any{.saving = 0};
  const auto all = steps.found({0, 1}, any);
  const Finding* to_host = finding_of(all, "cuda_memcpy_async_to_host");
  ASSERT_NE(to_host, nullptr);
  EXPECT_EQ(to_host->figures->count, 1);
  EXPECT_EQ(to_host->stake_ns, 15);
  EXPECT_EQ(finding_of(all, "scalar_reads"), nullptr);
}

// The host reads a file between a copy and the synchronization behind it: that is no wait.
TEST(Rules, LeaveOutWhatTheHostDoesBetweenAScalarAndItsSynchronization) {
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
TEST(Rules, KeepASynchronizationThatDoesNotWaitForTheScalarBeforeIt) {
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
            "iteration (11.5\u202f%)");
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

TEST(Rules, LeaveOutWhatBlocksAThreadThatDoesNotLaunch) {
  Steps steps;
  steps.kernel(0, 20, 400);
  steps.sync("cudaStreamSynchronize", 0, 30, 410, {7, 9});
  steps.kernel(0, 500, 990);
  steps.finish();
  EXPECT_TRUE(steps.index().calls(0, UINT32_MAX).empty());
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

TEST(Rules, KnowManagedMemoryOfEitherKindAndThatUnknownMemoryIsUnknown) {
  Steps steps;
  steps.kernel(0, 20, 90);
  steps.memset("cudaMemset", 0, 100, 130, /*managed, static*/ 6);
  steps.copy("cudaMemcpyAsync", 0, 140, 150, /*unknown*/ 7, kDevice, kToDevice);
  steps.copy("cudaMemcpyAsync", 0, 160, 260, kPageable, /*unknown*/ 7, kToDevice);
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

TEST(Rules, KeepQuietBelowTheThreshold) {
  Steps steps;
  steps.kernel(0, 20, 100);
  steps.sync("cudaStreamSynchronize", 0, 30, 130);
  steps.kernel(0, 150, 990);  // 50 of 1999 ns are 2.5 %
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

TEST(Rules, FindPartsOfTheRangeInWhichTheGpuDoesLittle) {
  Steps steps;
  // Parts of 66 or 67 ns. Busy in the first ten and, for 30 ns, in the last.
  steps.kernel(0, 0, 667);
  steps.kernel(1, 1970, 2100);
  steps.finish();
  const auto findings = steps.found({0, 1});
  const Finding* finding = finding_of(findings, "gpu_time_util");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->advice.problem, "GPU busy below 50\u202f% in 20 of 30 time slices");
  EXPECT_EQ(finding->figures->count, 20);
  EXPECT_EQ(finding->figures->total_ns, 2000 - 666);
  ASSERT_EQ(finding->places.size(), 1U) << "neighbours are one stretch";
  EXPECT_EQ(finding->places[0].start_ns, 666);
  EXPECT_DOUBLE_EQ(*finding->places[0].busy_percent, 100 * 31 / 1334.0);
  EXPECT_EQ(finding->stake_ns, (1334 - 31) / 2);
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

// Whether the GPU works for the process, for each ns.
std::vector<bool> busy_ns(const profile::Profile& profile, const GpuWorkTimes& gpu) {
  std::vector<bool> busy(static_cast<std::size_t>(profile.last_ns) + 1);
  const auto mark = [&](Row thread, Row device, int64_t start_ns, int64_t stop_ns) {
    if (profile.threads[thread].process_id != gpu.process_id() || device != gpu.device()) return;
    for (int64_t ns = start_ns; ns < stop_ns; ++ns) busy[static_cast<std::size_t>(ns)] = true;
  };
  for (Row row = 0; row < profile.kernels.size(); ++row) {
    const Row launch = profile.kernels.launch[row];
    mark(profile.launches.thread[launch], profile.launches.device[launch],
         profile.kernels.gpu_start_ns[row], profile.kernels.gpu_stop_ns[row]);
  }
  const profile::MemoryOps& ops = profile.memory_ops;
  for (Row row = 0; row < ops.size(); ++row) {
    mark(ops.thread[row], ops.device[row], ops.gpu_start_ns[row], ops.gpu_stop_ns[row]);
  }
  return busy;
}

using Gap = std::pair<int64_t, int64_t>;

// Idle runs between busy ns, wholly within the window.
std::vector<Gap> gaps_of(const std::vector<bool>& busy, int64_t start_ns, int64_t stop_ns,
                         int64_t longer_ns) {
  std::vector<Gap> gaps;
  int64_t last_busy = -1;
  for (int64_t ns = 0; ns < std::ssize(busy); ++ns) {
    if (!busy[static_cast<std::size_t>(ns)]) continue;
    const int64_t gap_start = last_busy + 1;
    if (last_busy >= 0 && ns - gap_start > std::max<int64_t>(longer_ns, 0) &&
        gap_start >= start_ns && ns <= stop_ns) {
      gaps.push_back({gap_start, ns});
    }
    last_busy = ns;
  }
  return gaps;
}

// Compares the gaps and the time covered with what a look at every ns finds, in three windows.
void compare_with_every_ns(const GpuWorkTimes& gpu, const std::vector<bool>& busy) {
  const int64_t end = std::ssize(busy);
  for (const auto& [start, stop] :
       {Gap{0, end}, Gap{end / 7 + 1, 4 * end / 5}, Gap{end / 2, end / 2 + 400}}) {
    EXPECT_EQ(gpu.busy().covered_ns(start, stop),
              std::count(busy.begin() + start, busy.begin() + stop, true));
    for (const int64_t longer : {0, 40, 90, 700}) {
      std::vector<Gap> gaps;
      gpu.for_each_longer(gpu.gaps_in(start, stop), longer, [&](const GpuWorkTimes::Gap& gap) {
        gaps.push_back({gap.start_ns, gap.stop_ns});
      });
      EXPECT_EQ(gaps, gaps_of(busy, start, stop, longer)) << start << ' ' << longer;
    }
  }
}

TEST(RuleIndex, KeepsTheWorkOfEachGpuForEachProcess) {
  testing::RandomProfileOptions options;
  options.processes = 2;
  const profile::Profile profile = testing::random_profile(options);
  const RuleIndex index(profile);
  ASSERT_GE(index.gpus().size(), 4U);
  for (const GpuWorkTimes& gpu : index.gpus()) compare_with_every_ns(gpu, busy_ns(profile, gpu));
}

TEST(GpuWorkTimes, FindFewLongGapsAmongManyShortOnes) {
  std::mt19937_64 random(7);
  const auto below = [&](int64_t end) {
    return std::uniform_int_distribution<int64_t>(0, end - 1)(random);
  };
  std::vector<GpuWorkTimes::Event> events;
  std::vector<bool> busy(100'000);
  for (int i = 0; i < 1500; ++i) {
    int64_t start = below(std::ssize(busy) - 60);
    if (start > 60'000 && start < 61'000) start = 10;
    const int64_t stop = start + below(60);
    events.push_back({start, stop, 0});
    std::fill(busy.begin() + start, busy.begin() + stop, true);
  }
  const GpuWorkTimes gpu(1, 0, events);
  EXPECT_GT(gpu.busy().size(), 512U) << "more than two levels";
  compare_with_every_ns(gpu, busy);
}

TEST(GpuWorkTimes, KnowWhoseWorkEndsAGap) {
  const GpuWorkTimes gpu(1, 0, {{50, 60, 5}, {10, 20, 1}, {15, 30, 2}, {55, 58, 6}, {90, 95, 9}});
  std::vector<std::pair<Gap, Row>> gaps;
  gpu.for_each_longer(gpu.gaps_in(0, 100), 0, [&](const GpuWorkTimes::Gap& gap) {
    gaps.push_back({{gap.start_ns, gap.stop_ns}, gap.instance});
  });
  EXPECT_EQ(gaps, (std::vector<std::pair<Gap, Row>>{{{30, 50}, 5}, {{60, 90}, 9}}));
}

}  // namespace
}  // namespace dlview::aggregate
