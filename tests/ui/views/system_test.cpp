#include "ui/views/tables/system.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/units.h"
#include "import/open.h"
#include "support/sketch.h"
#include "support/test_data.h"

namespace dlview::ui {
namespace {

using ::testing::ElementsAre;

std::string value_of(const std::vector<KeyValue>& rows, std::string_view id) {
  const auto found = std::ranges::find(rows, id, &KeyValue::id);
  return found == rows.end() ? "(none)" : found->value;
}

TEST(System, TheRunOfALatePartOfACaptureIsAsLongAsThatPart) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("step"), 5'000'000, 7'000'000);
  profile::Profile profile = *sketch.finish();
  profile.first_ns = 5'000'000;
  EXPECT_EQ(value_of(system_page(profile, "1").recording, "duration"),
            base::format_duration(int64_t{2'000'000}));
}

TEST(System, CountsTheGpusThatTheFileDoesNotCount) {
  testing::Sketch sketch(2);
  EXPECT_EQ(value_of(system_page(*sketch.finish(), "1").machine, "gpu_count"), "2");
}

TEST(System, NamesWhatTheDriverVersionOfATraceIs) {
  testing::Sketch sketch;
  profile::Profile profile = *sketch.finish();
  const auto driver = [&](const std::string& stored) {
    profile.system.driver_version = stored;
    const std::vector<KeyValue> machine = system_page(profile, "1").machine;
    const auto row = std::ranges::find(machine, "driver", &KeyValue::id);
    return row == machine.end() ? "" : row->label + ": " + row->value;
  };
  EXPECT_EQ(driver("535.129.03"), "GPU driver version: 535.129.03");
  profile.trace.emplace();
  EXPECT_EQ(driver("535.129.03"), "GPU driver version: 535.129.03");
  profile.trace->capture.recorder = profile::Recorder::pytorch_profiler;
  EXPECT_EQ(driver("CUDA 12.8"), "Driver CUDA version: 12.8");
  EXPECT_EQ(driver("HIP 6.4.43483"), "Driver HIP version: 6.4.43483");
}

TEST(System, NamesTheRuntimeOfAmd) {
  testing::Sketch sketch;
  profile::Profile profile = *sketch.finish();
  const auto runtime = [&](const std::string& stored) {
    profile.system.cuda_version = stored;
    const std::vector<KeyValue> machine = system_page(profile, "1").machine;
    const auto row = std::ranges::find(machine, "cuda", &KeyValue::id);
    return row == machine.end() ? "" : row->label + ": " + row->value;
  };
  EXPECT_EQ(runtime("12.4"), "CUDA version: 12.4");
  EXPECT_EQ(runtime("HIP 6.4.43483"), "HIP version: 6.4.43483");
}

TEST(System, SaysHowManyGpusOfTheMachineTheRunUsed) {
  testing::Sketch sketch;
  profile::Profile profile = *sketch.finish();
  profile.system.gpu_count = "4";
  EXPECT_EQ(value_of(system_page(profile, "1").machine, "gpu_count"), "1 used of 4");
}

TEST(System, SaysTheLengthOfTheRunOnce) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("step"), 0, 2'000'000);
  profile::Profile profile = *sketch.finish();
  profile.trace.emplace();
  profile.trace->duration_ns = 2'000'001;
  EXPECT_EQ(value_of(system_page(profile, "1").recording, "duration"), "(none)");
  profile.trace->duration_ns = 3'000'000;
  EXPECT_EQ(value_of(system_page(profile, "1").recording, "duration"),
            base::format_duration(int64_t{2'000'000}));
}

TEST(System, CountsRowsOnceWhereTheFileTellsItsTables) {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("step"), 0, 10), 0, 5);
  profile::Profile profile = *sketch.finish();
  EXPECT_EQ(value_of(system_page(profile, "1").counts, "kernels"), "1");
  profile.recorded_tables.push_back({"CUPTI_ACTIVITY_KIND_KERNEL", "", 1, ""});
  EXPECT_EQ(value_of(system_page(profile, "1").counts, "kernels"), "(none)");
  EXPECT_EQ(value_of(system_page(profile, "1").counts, "ops"), "1");
}

// "label: value" of all rows.
std::vector<std::string> lines_of(const std::vector<KeyValue>& rows) {
  std::vector<std::string> lines;
  for (const KeyValue& row : rows) lines.push_back(row.label + ": " + row.value);
  return lines;
}

TEST(System, TellsSizeOfMemoryFromItsUse) {
  testing::Sketch sketch;
  profile::Profile profile = *sketch.finish();
  profile::Device& gpu = profile.devices[profile::DeviceIndex{0}];
  const std::string name = "GPU " + std::to_string(gpu.device_id);
  EXPECT_THAT(lines_of(system_page(profile, "1").memory), ElementsAre(name + " memory size: "));
  gpu.memory_total_bytes = int64_t{32} << 30;
  EXPECT_THAT(lines_of(system_page(profile, "1").memory),
              ElementsAre(name + " memory size: 32.0\u202fGiB"));
  gpu.memory_used_bytes = int64_t{8} << 30;
  EXPECT_THAT(lines_of(system_page(profile, "1").memory),
              ElementsAre(name + " memory used: 8.00\u202fGiB of 32.0\u202fGiB"));
}

TEST(System, ShowsPeaksOfRecordedMemoryEvents) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto peaks_of = [](const char* file) {
    base::Progress progress;
    const auto opened = import::open_profile(*testing::test_data_folder() / file, progress);
    return lines_of(system_sums(*opened).memory_peaks);
  };
  EXPECT_THAT(peaks_of("pytorch/tracelens_h100_timesformer.json.gz"),
              ElementsAre(::testing::StartsWith("cuda:0 · GPU 0 peak allocated: "),
                          "cuda:0 · GPU 0 peak reserved: 4.27\u202fGiB"));
  EXPECT_THAT(peaks_of("pytorch/kineto_resnet50_workers0_2021-06.pt.trace.json.gz"),
              ElementsAre(::testing::StartsWith("cuda:0 · GPU 0 peak allocated since capture")))
      << "no totals";
  EXPECT_THAT(peaks_of("pytorch/param_dlrm_rank0.pt.trace.json.gz"), ::testing::IsEmpty());
}

}  // namespace
}  // namespace dlview::ui
