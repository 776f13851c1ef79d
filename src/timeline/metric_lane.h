// MetricLane: samples of GPU metrics that are drawn in one lane, and what they look like on pixel
// columns: the least, the mean and the largest value of each.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aggregate/limits/sample_curve.h"
#include "base/intervals.h"
#include "profile/gpu_metric.h"
#include "profile/trace.h"
#include "timeline/time_window.h"

namespace dlview::timeline {

struct MetricPart {
  std::string name;  // "SMs Active": as recorded, without the unit
  std::string unit;
  profile::GpuMetric metric = profile::GpuMetric::other;
  std::shared_ptr<const aggregate::SampleCurve> curve;
};

// area: one part. over: an area, and lines of the others over it. stacked: one above the other.
enum class MetricStyle : uint8_t { area, over, stacked, lines };

struct MetricLane {
  std::string name;  // "DRAM R + W"
  MetricStyle style = MetricStyle::area;
  std::vector<MetricPart> parts;  // not empty
  double top = 100;               // the value at the upper edge; 0 at the lower one
  int64_t period_ns = 0;          // between samples

  bool is_percent() const { return parts.front().unit == "%"; }
};

// Of a GPU, by TraceGpu::id: SM active first, then the others that are known, then each unknown
// metric. Two metrics of one kind, such as NVLink messages, are parts of one lane.
std::vector<MetricLane> metric_lanes(const profile::Trace& trace, int64_t gpu);
// The GPUs with samples, ascending.
std::vector<int64_t> sampled_gpus(const profile::Trace& trace);

struct MetricColumn {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  double least = kUnknown, mean = kUnknown, most = kUnknown;
  bool is_known() const { return mean == mean; }
};

// By part, then by column. A column without a sample shows the one whose time it is in; unknown
// where samples lie more than two periods apart. The cost grows with the columns.
using MetricPicture = std::vector<std::vector<MetricColumn>>;
MetricPicture prepare_metric(const MetricLane& lane, const ColumnTimes& columns);

// Of the samples in the time; unknown without any.
MetricColumn summarize(const MetricPart& part, const base::Interval& time);

}  // namespace dlview::timeline
