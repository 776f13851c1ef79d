#include "timeline/metric_lane.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlview::timeline {
namespace {

using aggregate::SampleCurve;
using ::testing::ElementsAre;

// Series of these names on GPU 2, each with one sample.
profile::Trace trace_of(const std::vector<std::string>& names) {
  profile::Trace trace;
  std::vector<int64_t> times;
  std::vector<double> values;
  for (const std::string& name : names) {
    profile::TraceCounters::Series& series = trace.counters.series.emplace_back();
    series.counter = name;
    series.device = 2;
    series.first = times.size();
    series.kind = profile::CounterKind::sample;
    series.unit = profile::unit_of_gpu_metric(name);
    times.push_back(100);
    values.push_back(40);
  }
  trace.counters.time_ns = std::move(times);
  trace.counters.value = std::move(values);
  return trace;
}

std::vector<std::string> lanes_of(const std::vector<std::string>& names) {
  std::vector<std::string> lines;
  for (const MetricLane& lane : metric_lanes(trace_of(names), 2)) {
    std::string line = lane.name + ":";
    for (const MetricPart& part : lane.parts) line += " " + part.name;
    lines.push_back(fmt::format("{} to {}", line, lane.top));
  }
  return lines;
}

TEST(MetricLanes, OfAnA100AreInOrder) {
  EXPECT_THAT(
      lanes_of({"PCIe TX Throughput", "GPC Clock Frequency", "DRAM Write Throughput",
                "SYS Clock Frequency", "PCIe RX Throughput", "GR Active", "SM Active", "SM Issue",
                "Tensor Active", "Pixel Warps in Flight", "Compute Warps in Flight",
                "Unallocated Warps in Active SMs", "DRAM Read Throughput"}),
      ElementsAre("SM active: SM Active to 100", "GPU active: GR Active to 100",
                  "Issue, Tensor: SM Issue Tensor Active to 100",
                  "Warps: Compute Warps in Flight Pixel Warps in Flight Unallocated Warps in "
                  "Active SMs to 100",
                  "DRAM R + W: DRAM Read Throughput DRAM Write Throughput to 100",
                  "PCIe RX, TX: PCIe RX Throughput PCIe TX Throughput to 100",
                  "Clocks: GPC Clock Frequency SYS Clock Frequency to 40"));
}

TEST(MetricLanes, OfUnknownNamesStandAlone) {
  EXPECT_THAT(lanes_of({"Draw Started", "SMs Active [Throughput %]",
                        "Compute Warps in Flight [Avg Warps per Cycle]", "L2 Throughput"}),
              ElementsAre("SM active: SMs Active to 100", "Draw Started: Draw Started to 40",
                          "Compute Warps in Flight · Avg Warps per Cycle: Compute Warps in Flight "
                          "to 40",
                          "L2 Throughput: L2 Throughput to 100"));
}

TEST(MetricLanes, KeepDirectionsOfNvlinkTogether) {
  EXPECT_THAT(lanes_of({"NVLink TX Bandwidth", "NVLink RX Bandwidth"}),
              ElementsAre("NVLink RX, TX: NVLink RX Bandwidth NVLink TX Bandwidth to 100"));
  EXPECT_THAT(
      lanes_of({"NVLink RX Requests User Data [Throughput %]",
                "NVLink RX Responses User Data [Throughput %]",
                "NVLink TX Requests User Data [Throughput %]"}),
      ElementsAre("NVLink RX: NVLink RX Requests User Data NVLink RX Responses User Data to 100",
                  "NVLink TX: NVLink TX Requests User Data to 100"));
  EXPECT_TRUE(metric_lanes(trace_of({"SM Active"}), 0).empty()) << "of another GPU";
}

MetricColumn slow_column(const std::vector<int64_t>& times, const std::vector<double>& values,
                         const base::Interval& shown, int64_t period_ns) {
  MetricColumn column;
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] <= shown.start_ns || times[i] > shown.stop_ns) continue;
    column.least = count == 0 ? values[i] : std::min(column.least, values[i]);
    column.most = count == 0 ? values[i] : std::max(column.most, values[i]);
    sum += values[i];
    ++count;
  }
  if (count > 0) {
    column.mean = sum / count;
    return column;
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] <= shown.stop_ns) continue;
    if (times[i] - shown.stop_ns <= 2 * period_ns) return {values[i], values[i], values[i]};
    break;
  }
  return column;
}

TEST(MetricPictures, ShowWhatReadingAllSamplesShows) {
  std::mt19937_64 random(3);
  for (const std::size_t count : {1, 2, 40, 3000}) {
    std::vector<int64_t> times(count);
    std::vector<double> values(count);
    int64_t now = -1000;
    for (std::size_t i = 0; i < count; ++i) {
      times[i] = now += random() % 50 == 0 ? 4000 : 90 + static_cast<int64_t>(random() % 20);
      values[i] = static_cast<double>(random() % 101);
    }
    MetricLane lane;
    lane.parts.push_back({"SM Active", "%", profile::GpuMetric::sm_active,
                          std::make_shared<const SampleCurve>(times, values)});
    const int64_t period_ns = lane.parts[0].curve->period_ns();
    for (int i = 0; i < 60; ++i) {
      const int64_t length = 1 + static_cast<int64_t>(random() % (i % 2 == 0 ? 3000 : 400'000));
      const TimeWindow window{times[0] - 500 + static_cast<int64_t>(random() % 300'000), length};
      const ColumnTimes columns(TimeMap(window, 1 + static_cast<int32_t>(random() % 700)));
      const MetricPicture picture = prepare_metric(lane, columns);
      ASSERT_EQ(picture.size(), 1U);
      ASSERT_EQ(std::ssize(picture[0]), columns.columns());
      for (int32_t column = 0; column < columns.columns(); ++column) {
        const MetricColumn& fast = picture[0][static_cast<std::size_t>(column)];
        const MetricColumn slow = slow_column(times, values, columns.shown(column), period_ns);
        ASSERT_EQ(fast.is_known(), slow.is_known()) << column;
        if (!fast.is_known()) continue;
        ASSERT_EQ(fast.least, slow.least);
        ASSERT_EQ(fast.mean, slow.mean);
        ASSERT_EQ(fast.most, slow.most);
      }
    }
  }
}

}  // namespace
}  // namespace dlview::timeline
