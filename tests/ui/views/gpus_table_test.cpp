// The columns of the table of GPUs that the view of the file does not have.

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "profile/recorded.h"
#include "report/views/views.h"
#include "support/sketch.h"
#include "ui/text_in.h"
#include "ui/views/tables/looks.h"

namespace dlview::ui {
namespace {

using testing::text_in;

TableData devices_of(const profile::Profile& run, std::vector<aggregate::Filter> filters = {}) {
  const auto profile = std::make_shared<const profile::Profile>(run);
  TableData data{profile,
                 std::make_shared<const aggregate::Aggregation>(
                     aggregate::make_cpu_aggregator(profile)->aggregate({{}, {0, 0}, filters})),
                 {}};
  data.table = *report::make_view("gpu_devices", *profile, *data.aggregation);
  add_device_columns(data, {});
  return data;
}

profile::Profile run_of_two_gpus() {
  testing::Sketch sketch(2);
  const auto step = sketch.instance(sketch.op("step"), 0, 10);
  sketch.kernel(step, 100, 200, 0);
  sketch.kernel(step, 150, 250, 0);
  sketch.kernel(step, 150, 180, 1);
  return *sketch.finish();
}

TEST(GpusTable, HasKernelTimeAndLaunchesOfEachGpu) {
  const profile::Profile run = run_of_two_gpus();
  const TableData devices = devices_of(run);
  ASSERT_EQ(devices.table.row_count, 2U);
  EXPECT_EQ(text_in(devices, 0, "device_kernel_time"), "150") << "overlaps count once";
  EXPECT_EQ(text_in(devices, 0, "device_launches"), "2");
  EXPECT_EQ(text_in(devices, 1, "device_kernel_time"), "30");
  const int64_t second = run.devices[profile::DeviceIndex{1}].device_id;
  const TableData kept =
      devices_of(run, {{.kind = aggregate::FilterKind::device, .number = second}});
  ASSERT_EQ(kept.table.row_count, 1U);
  EXPECT_EQ(text_in(kept, 0, "device_kernel_time"), "30") << "of the GPU that the filter keeps";
}

TEST(GpusTable, LeavesUnrecordedTimesEmpty) {
  profile::Profile run = run_of_two_gpus();
  run.not_recorded.push_back({std::string(profile::kNoGpuWork), ""});
  const TableData devices = devices_of(run);
  EXPECT_EQ(text_in(devices, 0, "device_kernel_time"), "");
  EXPECT_EQ(text_in(devices, 0, "device_launches"), "");
}

}  // namespace
}  // namespace dlview::ui
