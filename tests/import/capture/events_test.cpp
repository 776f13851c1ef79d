// What becomes of calls and of the work that they caused.

#include "import/capture/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/capture/trace_sketch.h"

namespace dlview::import::capture {
namespace {

using profile::Profile;
using ::testing::ElementsAre;
using testing::instances_of;
using testing::ops_of;
using testing::thread_of;
using testing::TraceSketch;

TEST(WorkOutsideOps, IsGroupedByCallAndKernel) {
  TraceSketch sketch;
  sketch.launch("a", 10);
  sketch.launch("b", 20);
  sketch.launch("a", 30);
  sketch.sync(41, 49, sketch.call("cudaStreamSynchronize_v3020", 40, 50));
  const Profile profile = std::move(sketch).finish();
  EXPECT_THAT(ops_of(profile),
              ElementsAre("CUDALAUNCHKERNEL_1 unassociated_cudaLaunchKernel/a cudaLaunchKernel",
                          "CUDALAUNCHKERNEL_2 unassociated_cudaLaunchKernel/b cudaLaunchKernel",
                          "CUDASTREAMSYNCHRONIZE_1 unassociated_cudaStreamSynchronize "
                          "cudaStreamSynchronize"));
  EXPECT_THAT(instances_of(profile),
              ElementsAre("CUDALAUNCHKERNEL_1 10-12 a", "CUDALAUNCHKERNEL_2 20-22 b",
                          "CUDALAUNCHKERNEL_1 30-32 a", "CUDASTREAMSYNCHRONIZE_1 40-50"));
  EXPECT_EQ(profile.syncs.api_start_ns[0], 40);
}

TEST(WorkOutsideOps, BeginsAtItsStartWithoutLaunch) {
  TraceSketch sketch;
  sketch.range("step", 0, 500);
  sketch.kernel("a", 100, 200, 77);
  const Profile profile = std::move(sketch).finish();
  EXPECT_THAT(instances_of(profile), ElementsAre("STEP_1 0-500", "NO_LAUNCH_1 100-100 a"));
  EXPECT_EQ(profile.kernels.api_start_ns[0], 100);
  EXPECT_EQ(profile.kernels.api_stop_ns[0], 100);
}

TEST(Calls, BelongToOpsAtTheirStart) {
  TraceSketch sketch;
  sketch.range("a", 0, 50);
  sketch.range("b", 50, 100);
  sketch.call("cudaMalloc", 10, 80);
  sketch.call("cudaFree", 50, 60);
  const Profile profile = std::move(sketch).finish();
  EXPECT_THAT(profile.instances.first_api_call.span(), ElementsAre(0u, 1u, 2u));
  EXPECT_EQ(profile.text(profile.api_calls.name[0]), "cudaMalloc");
}

TEST(Calls, CountOnceDespiteCallStacks) {
  TraceSketch sketch;
  sketch.range("a", 0, 50);
  sketch.call_with_id(1, "cudaMalloc_v3020", 10, 20);
  sketch.call_with_id(1, "cudaMalloc", 10, 20, TraceSketch::kThread, profile::ApiLayer::call_stack);
  EXPECT_EQ(std::move(sketch).finish().api_calls.size(), 1u);
}

TEST(Calls, MayShareNumbersAcrossProcesses) {
  const profile::ThreadId other = thread_of(8, 1);
  TraceSketch sketch;
  sketch.process(8);
  sketch.range("mine", 0, 50);
  sketch.range("theirs", 0, 50, other);
  sketch.call_with_id(1, "cudaLaunchKernel", 10, 12);
  sketch.call_with_id(1, "cudaLaunchKernel", 11, 13, other);
  sketch.kernel("m", 100, 110, 1);
  sketch.kernel("t", 100, 110, 1, other);
  const Profile profile = std::move(sketch).finish();
  EXPECT_THAT(instances_of(profile), ElementsAre("MINE_1 0-50 m", "THEIRS_1 0-50 t"));
  EXPECT_EQ(profile.threads[profile.instances.thread[1]], (profile::Thread{8, 1}));
}

TEST(Graphs, HaveUniqueKernelNames) {
  TraceSketch sketch;
  const int64_t launch = sketch.call("cudaGraphLaunch_v10000", 10, 20);
  sketch.graph(5, 100, 900, launch);
  const Profile profile = std::move(sketch).finish();
  EXPECT_THAT(instances_of(profile), ElementsAre("CUDAGRAPHLAUNCH_1 10-20 CUDA graph 5"));
  EXPECT_EQ(profile.text(profile.kernels.long_name[0]), "CUDA graph 5, traced as a whole");
}

TEST(Graphs, GroupKernelsOfTracedNodes) {
  TraceSketch sketch;
  const int64_t launch = sketch.call("cudaGraphLaunch_v10000", 10, 20);
  sketch.kernel("a", 100, 110, launch);
  sketch.kernel("b", 110, 120, launch);
  EXPECT_THAT(instances_of(std::move(sketch).finish()), ElementsAre("CUDAGRAPHLAUNCH_1 10-20 a b"));
}

TEST(Graphs, HaveOtherNumbersThanKernels) {
  TraceSketch sketch;
  sketch.launch("k", 10);
  sketch.graph(5, 100, 900, sketch.call("cudaGraphLaunch_v10000", 20, 30));
  const Profile profile = std::move(sketch).finish();
  const auto& ids = profile.kernels.source_id;
  EXPECT_THAT(std::vector(ids.begin(), ids.end()), ElementsAre(1, 2));
}

TEST(WorkOutsideOps, ExcludesTimesThatOverflow) {
  TraceSketch sketch;
  constexpr int kCalls = 600;
  for (int i = 0; i < kCalls; ++i) {
    const int64_t id = sketch.call("cudaLaunchKernel_v7000", 0, kLatestNs);
    sketch.kernel("k", 10, 20, id);
  }
  const Profile profile = std::move(sketch).finish();
  const auto& instances = profile.instances;
  int64_t left_ns = INT64_MAX / 2;  // of one GPU, and of all
  for (profile::Row i = 0; i < instances.size(); ++i) {
    left_ns -= instances.cpu_stop_ns[i] - instances.cpu_start_ns[i];
    ASSERT_GE(left_ns, 0);
  }
  EXPECT_LT(left_ns, kLatestNs);
  ASSERT_EQ(profile.quality.size(), 1U);
  EXPECT_EQ(profile.quality[0].reason, kTooMuchTime);
  EXPECT_EQ(profile.quality[0].rows, kCalls - static_cast<int64_t>(profile.kernels.size()));
}

// One range around a run of 104 days: what it causes late reaches far, and lasts no time at all.
TEST(LongInstances, KeepCopiesBehindManyKernels) {
  TraceSketch sketch;
  sketch.range("main", 0, kLatestNs);
  for (int i = 0; i < 500; ++i) {
    sketch.kernel("k", kLatestNs - 20, kLatestNs - 10,
                  sketch.call("cudaLaunchKernel_v7000", 10, 20));
    sketch.memcpy(kLatestNs - 10, kLatestNs, sketch.call("cudaMemcpyAsync_v3020", 30, 40), 4);
  }
  const Profile profile = std::move(sketch).finish();
  EXPECT_EQ(profile.instances.size(), 1U);
  EXPECT_EQ(profile.kernels.size(), 500U);
  EXPECT_EQ(profile.memory_ops.size(), 500U);
  EXPECT_TRUE(profile.quality.empty());
}

TEST(Calls, AreFoundUnderNumbersFarApart) {
  TraceSketch sketch;
  for (const int64_t id : {int64_t{1} << 40, int64_t{-7}, INT64_MAX, int64_t{3}}) {
    sketch.call_with_id(id, "call" + std::to_string(id), 10, 20);
    sketch.call_with_id(id, "again", 30, 40);
    sketch.kernel("k" + std::to_string(id), 100, 200, id);
  }
  sketch.kernel("unknown", 100, 200, 4);
  EXPECT_THAT(ops_of(std::move(sketch).finish()),
              ElementsAre("CALL-7_1 unassociated_call-7/k-7 call-7",
                          "CALL1099511627776_1 "
                          "unassociated_call1099511627776/k1099511627776 call1099511627776",
                          "CALL3_1 unassociated_call3/k3 call3",
                          "CALL9223372036854775807_1 "
                          "unassociated_call9223372036854775807/k9223372036854775807 "
                          "call9223372036854775807",
                          "NO_LAUNCH_1 unassociated_no_launch/unknown no_launch"));
}

TEST(Work, NotesMissingLaunches) {
  TraceSketch some;
  some.call_with_id(1, "cudaLaunchKernel", 10, 20);
  some.kernel("launched", 100, 200, 1);
  for (const int64_t id : {2, 3}) some.kernel("before", 30, 40, id);
  const Profile profile = std::move(some).finish();
  ASSERT_EQ(profile.not_recorded.size(), 1U);
  EXPECT_EQ(profile.not_recorded[0].what, "Launches of 2 kernels");

  TraceSketch none;
  none.kernel("no calls at all", 100, 200, 1);
  EXPECT_TRUE(std::move(none).finish().not_recorded.empty());
}

TEST(Work, NotesLaunchesWithoutKernels) {
  TraceSketch sketch;
  sketch.call_with_id(1, "cudaLaunchKernel_v7000", 10, 20);
  sketch.kernel("recorded", 100, 200, 1);
  for (const int64_t id : {2, 3}) sketch.call_with_id(id, "cudaLaunchKernelExC_v11060", 30, 40);
  sketch.call_with_id(4, "cudaLaunchHostFunc", 50, 60);
  sketch.call_with_id(5, "cudaStreamSynchronize", 50, 60);
  const Profile profile = std::move(sketch).finish();
  ASSERT_EQ(profile.not_recorded.size(), 1U);
  EXPECT_EQ(profile.not_recorded[0].what, "Kernels of 2 launches");
}

TEST(Work, OnAnUnknownGpuIsNoted) {
  TraceSketch sketch;
  sketch.kernel("a", 100, 110, 1, thread_of(9, 1));
  const Profile profile = std::move(sketch).finish();
  EXPECT_EQ(profile.kernels.size(), 0u);
  ASSERT_EQ(profile.quality.size(), 1u);
  EXPECT_EQ(profile.quality[0].reason, "unknown GPU");
}

}  // namespace
}  // namespace dlview::import::capture
