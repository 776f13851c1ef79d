// The figures of the TensorBoard plugin: each definition by a trace made by hand, and the breakdown
// of random traces against one that looks at every nanosecond.

#include "aggregate/tensorboard.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/byte_source.h"
#include "import/pytorch/event_sketch.h"
#include "import/pytorch/load.h"
#include "support/test_data.h"

namespace dlview::aggregate {
namespace {

using ::testing::ElementsAre;
using testing::EventSketch;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Times = std::vector<std::string>;

Times step_times(const TensorBoardOverview& overview) {
  Times times;
  for (const TensorBoardStep& step : overview.steps) {
    times.push_back(step.name + ": " + std::to_string(step.start_ns) + "-" +
                    std::to_string(step.stop_ns));
  }
  return times;
}

// A call at a time, and the kernel it launches.
dlview::import::pytorch::KernelEvent& launch(EventSketch& sketch, int64_t call_ns, int64_t start_ns,
                                             int64_t stop_ns, const std::string& name = "k") {
  const auto correlation = static_cast<int64_t>(sketch.events.calls.size()) + 1;
  sketch.call("cudaLaunchKernel", call_ns, call_ns + 2, correlation);
  return sketch.kernel(name, start_ns, stop_ns, correlation);
}  // namespace

TensorBoardOverview overview_of(EventSketch&& sketch) {
  return tensorboard_overview(std::move(sketch).finish());
}

TEST(TensorBoardSteps, LastUntilTheirGpuWorkEnds) {
  EventSketch sketch;
  sketch.annotation("ProfilerStep#5", 0, 100);
  sketch.annotation("ProfilerStep#6", 110, 200);
  launch(sketch, 10, 20, 150);
  launch(sketch, 120, 160, 260);
  EXPECT_THAT(step_times(overview_of(std::move(sketch))), ElementsAre("5: 0-150", "6: 150-260"));
}

TEST(TensorBoardSteps, CountCallsThatLieWhollyInThem) {
  EventSketch sketch;
  sketch.annotation("ProfilerStep#1", 0, 100);
  launch(sketch, 10, 20, 50);
  launch(sketch, 99, 200, 900);  // its call ends at 101
  EXPECT_THAT(step_times(overview_of(std::move(sketch))), ElementsAre("1: 0-100"));
}

TEST(TensorBoardSteps, GoWithoutGpuWorkAtTheEnd) {
  EventSketch sketch;
  for (int64_t i = 0; i < 4; ++i) {
    sketch.annotation("ProfilerStep#" + std::to_string(i), 100 * i, 100 * i + 90);
    if (i != 0 && i != 3) launch(sketch, 100 * i + 10, 100 * i + 20, 100 * i + 30);
  }
  EXPECT_THAT(step_times(overview_of(std::move(sketch))),
              ElementsAre("0: 0-90", "1: 100-190", "2: 200-290"));
}

TEST(TensorBoardSteps, GoWithTooLittleWorkAtTheEnd) {
  for (const int64_t last : {3, 4}) {
    EventSketch sketch;
    sketch.annotation("ProfilerStep#1", 0, 100);
    sketch.annotation("ProfilerStep#2", 100, 200);
    for (int64_t i = 0; i < 5; ++i) launch(sketch, 10 + 5 * i, 20 + 5 * i, 22 + 5 * i);
    for (int64_t i = 0; i < last; ++i) launch(sketch, 110 + 5 * i, 120 + 5 * i, 122 + 5 * i);
    EXPECT_EQ(overview_of(std::move(sketch)).steps.size(), last == 4 ? 2U : 1U) << last;
  }
}

TEST(TensorBoardSteps, StayWithoutAnyGpuWork) {
  EventSketch sketch;
  sketch.annotation("ProfilerStep#1", 0, 100);
  sketch.annotation("ProfilerStep#2", 100, 200);
  EXPECT_EQ(overview_of(std::move(sketch)).steps.size(), 2U);
}

TEST(TensorBoardSteps, AreOneWithoutProfilerSteps) {
  EventSketch sketch;
  sketch.op("aten::add", 50, 100);
  sketch.op("aten::mul", 120, 180);
  launch(sketch, 60, 90, 400);
  EXPECT_THAT(step_times(overview_of(std::move(sketch))), ElementsAre("0: 50-400"));
}

TEST(TensorBoardBreakdown, IsExclusiveInItsOrder) {
  EventSketch sketch;
  sketch.annotation("ProfilerStep#1", 0, 100);
  sketch.op("aten::add", 5, 60);
  sketch.annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 50, 70);
  sketch.annotation("nccl:all_reduce", 65, 80);
  sketch.annotation("nccl:wait", 80, 95);
  launch(sketch, 10, 20, 30);
  launch(sketch, 70, 25, 90);  // launched in the communication
  const TensorBoardOverview overview = overview_of(std::move(sketch));
  ASSERT_EQ(overview.steps.size(), 1U);
  // Kernel, Memcpy, Memset, Communication, Runtime, DataLoader, CPU Exec, Other
  EXPECT_THAT(overview.steps[0].time_ns, ElementsAre(10, 0, 0, 60, 2, 0, 13, 15));
}

// Looks at every nanosecond.
std::array<int64_t, kTensorBoardCategories> slow_breakdown(
    const std::array<std::vector<std::pair<int64_t, int64_t>>, kTensorBoardCategories>& events,
    const TensorBoardStep& step) {
  std::array<int64_t, kTensorBoardCategories> times{};
  for (int64_t at = step.start_ns; at < step.stop_ns; ++at) {
    std::size_t category = 0;
    for (; category + 1 < kTensorBoardCategories; ++category) {
      const bool runs = std::ranges::any_of(events[category], [at](const auto& time) {
        return time.first <= at && at < time.second;
      });
      if (runs) break;
    }
    ++times[category];
  }
  return times;
}

TEST(TensorBoardBreakdown, EqualsTheObviousOne) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto pick = [&random](int64_t count) {
      return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
    };
    EventSketch sketch;
    std::array<std::vector<std::pair<int64_t, int64_t>>, kTensorBoardCategories> events;
    for (int64_t i = 0; i < 3; ++i) {
      sketch.annotation("ProfilerStep#" + std::to_string(i), 400 * i, 400 * i + 380);
    }
    for (int64_t i = 0; i < 25; ++i) {
      const int64_t start = pick(1200), stop = start + 1 + pick(60);
      const int64_t call = pick(1200);
      const int64_t kind = pick(5);
      if (kind == 0) {
        sketch.op("aten::add", start, stop);
        events[6].emplace_back(start, stop);
      } else if (kind == 1) {
        sketch.op("enumerate(DataLoader)#x.__next__", start, stop);
        events[5].emplace_back(start, stop);
      } else if (kind == 2) {
        // On a thread that launches nothing.
        sketch.annotation("gloo:broadcast", start, stop, EventSketch::kAutograd);
        events[3].emplace_back(start, stop);
      } else {
        events[4].emplace_back(call, call + 2);
        if (kind == 3) {
          launch(sketch, call, start, stop);
          events[0].emplace_back(start, stop);
        } else {
          sketch.call("cudaMemcpyAsync", call, call + 2, 1000 + i);
          sketch.memcpy("Memcpy HtoD (Pinned -> Device)", start, stop, 1000 + i, 8);
          events[1].emplace_back(start, stop);
        }
      }
    }
    const TensorBoardOverview overview = overview_of(std::move(sketch));
    for (const TensorBoardStep& step : overview.steps) {
      EXPECT_EQ(step.time_ns, slow_breakdown(events, step));
      int64_t sum = 0;
      for (const int64_t ns : step.time_ns) sum += ns;
      EXPECT_EQ(sum, step.duration_ns());
    }
  }
}

TEST(TensorBoardGpus, HaveUtilizationEfficiencyAndOccupancy) {
  EventSketch sketch;
  sketch.annotation("ProfilerStep#1", 100, 200);
  auto& before = launch(sketch, 110, 50, 120);  // 20 ns of it lie in the step
  before.blocks_per_sm = 0.5;
  before.occupancy_percent = 10;
  auto& both = launch(sketch, 112, 110, 140);  // for 10 ns beside the other
  both.blocks_per_sm = 0.75;
  both.occupancy_percent = 40;
  launch(sketch, 114, 150, 160);  // without either
  const TensorBoardOverview overview = overview_of(std::move(sketch));
  ASSERT_EQ(overview.gpus.size(), 1U);
  const TensorBoardGpu& gpu = overview.gpus[0];
  EXPECT_EQ(overview.span_ns(), 100);
  EXPECT_EQ(gpu.busy_ns, 50);
  // 10 ns at 0.5, 10 ns at 1 (not 1.25), 20 ns at 0.75
  EXPECT_DOUBLE_EQ(gpu.sm_efficiency_percent.value(), 30);
  EXPECT_DOUBLE_EQ(gpu.occupancy_percent.value(), (20 * 10 + 30 * 40) / 50.0);
}

TEST(TensorBoardGpus, LackWhatIsNotRecorded) {
  EventSketch sketch;
  sketch.annotation("ProfilerStep#1", 0, 100);
  launch(sketch, 10, 20, 70);
  const TensorBoardOverview overview = overview_of(std::move(sketch));
  ASSERT_EQ(overview.gpus.size(), 1U);
  EXPECT_EQ(overview.gpus[0].sm_efficiency_percent, std::nullopt);
  EXPECT_EQ(overview.gpus[0].occupancy_percent, std::nullopt);
}

TEST(TensorBoardTensorCores, AreKnownByNames) {
  for (const char* name : {"volta_fp16_s884gemm", "ampere_h16816gemm", "xmma_gemm_f16",
                           "cudnn::first_layer_wgrad_kernel", "turing_hmma"}) {
    EXPECT_TRUE(is_tensor_core_kernel_for_tensorboard(name)) << name;
  }
  for (const char* name : {"sm90_xmma_conv", "nvjet_tst_128x256", "sgemm_128x64", ""}) {
    EXPECT_FALSE(is_tensor_core_kernel_for_tensorboard(name)) << name;
  }
  EventSketch sketch;
  sketch.annotation("ProfilerStep#1", 0, 100);
  launch(sketch, 10, 20, 50, "volta_fp16_s884gemm");
  launch(sketch, 12, 50, 60, "add");
  const TensorBoardOverview overview = overview_of(std::move(sketch));
  EXPECT_EQ(overview.kernel_ns, 40);
  EXPECT_EQ(overview.tensor_core_ns, 30);
}

TEST(TensorBoardRecommendations, FollowTheirThresholds) {
  const auto recommendations = [](int64_t loading_ns, int64_t communication_ns, int64_t busy_ns) {
    EventSketch sketch;
    sketch.annotation("ProfilerStep#1", 0, 1000);
    sketch.annotation("enumerate(DataLoader)#x.__next__", 0, loading_ns);
    sketch.annotation("nccl:all_reduce", 393, 393 + communication_ns);
    launch(sketch, 390, 500, 500 + busy_ns, "volta_s884gemm");
    return overview_of(std::move(sketch)).recommendations;
  };
  EXPECT_THAT(recommendations(50, 100, 500), IsEmpty());
  EXPECT_THAT(recommendations(51, 100, 500), ElementsAre(HasSubstr("data loader")));
  EXPECT_THAT(recommendations(50, 101, 400),
              ElementsAre(HasSubstr("Communication"), HasSubstr("utilization")));
}

TEST(TensorBoardRecommendations, NameUnusedTensorCores) {
  for (const char* op : {"aten::mm", "aten::add"}) {
    EventSketch sketch;
    sketch.annotation("ProfilerStep#1", 0, 100);
    sketch.op(op, 5, 50);
    launch(sketch, 10, 20, 90);
    const auto found = overview_of(std::move(sketch)).recommendations;
    if (op == std::string("aten::mm")) {
      EXPECT_THAT(found, ElementsAre(HasSubstr("Tensor Cores")));
    } else {
      EXPECT_THAT(found, IsEmpty());
    }
  }
}

TEST(TensorBoardRecommendations, NameFullMemoryAndSlowBackends) {
  EventSketch sketch;
  sketch.annotation("ProfilerStep#1", 0, 100);
  sketch.annotation("DistributedDataParallel.forward", 5, 50);
  launch(sketch, 10, 20, 90);
  sketch.events.header.backend = "gloo";
  dlview::import::pytorch::AllocationEvent allocation;
  allocation.device_type = 1;
  allocation.device = 0;
  allocation.total_allocated = int64_t{73} << 30;  // of 80 GiB
  sketch.events.allocations.push_back(allocation);
  EXPECT_THAT(overview_of(std::move(sketch)).recommendations,
              ElementsAre(HasSubstr("91.2% of its memory"), HasSubstr("gloo")));
}

// Figures of a script that reads the JSON with Python's standard library.
TEST(TensorBoardOverview, EqualsThatOfAScriptOnRealTraces) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto overview = [](const char* name) {
    base::Progress progress;
    const auto source =
        dlview::import::ByteSource::open(*testing::test_data_folder() / "pytorch" / name, progress);
    EXPECT_TRUE(source.ok());
    const auto profile = dlview::import::pytorch::load_trace(*source, progress);
    EXPECT_TRUE(profile.ok());
    return tensorboard_overview(*profile);
  };
  const TensorBoardOverview resnet = overview("kineto_resnet50_workers0_2021-06.pt.trace.json.gz");
  ASSERT_EQ(resnet.steps.size(), 6U);
  EXPECT_THAT(
      step_times(resnet),
      ElementsAre("16: 89000-171861000", "17: 171861000-321414000", "18: 321414000-471217000",
                  "19: 471217000-620749000", "20: 620749000-775092000", "21: 775092000-929557000"));
  EXPECT_THAT(resnet.steps[0].time_ns, ElementsAre(98'420'000, 1'654'000, 88'000, 0, 9'789'000,
                                                   46'723'000, 13'876'000, 1'222'000));
  EXPECT_THAT(resnet.steps[5].time_ns, ElementsAre(98'439'000, 1'813'000, 90'000, 0, 3'633'000,
                                                   34'637'000, 14'544'000, 1'309'000));
  ASSERT_EQ(resnet.gpus.size(), 1U);
  EXPECT_EQ(resnet.gpus[0].busy_ns, 591'209'000);
  EXPECT_NEAR(resnet.gpus[0].sm_efficiency_percent.value(), 62.650974805, 1e-9);
  EXPECT_NEAR(resnet.gpus[0].occupancy_percent.value(), 49.135551049, 1e-9);
  EXPECT_EQ(resnet.kernel_ns, 591'209'000);
  EXPECT_EQ(resnet.tensor_core_ns, 0);

  const TensorBoardOverview dlrm = overview("param_dlrm_rank1.pt.trace.json.gz");
  ASSERT_EQ(dlrm.steps.size(), 1U);
  EXPECT_THAT(dlrm.steps[0].time_ns, ElementsAre(10'635'000, 19'000, 0, 1'728'000, 1'074'000,
                                                 933'000, 3'276'000, 2'236'000));
  ASSERT_EQ(dlrm.gpus.size(), 1U);
  EXPECT_EQ(dlrm.gpus[0].busy_ns, 12'302'000);
  EXPECT_EQ(dlrm.kernel_ns, 12'582'000);
}

}  // namespace
}  // namespace dlview::aggregate
