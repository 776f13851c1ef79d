#include "ui/views/tables/system.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/units.h"
#include "support/sketch.h"

namespace dlview::ui {
namespace {

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

}  // namespace
}  // namespace dlview::ui
