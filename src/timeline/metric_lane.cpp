#include "timeline/metric_lane.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "base/parallel.h"

namespace dlview::timeline {
namespace {

using aggregate::SampleCurve;
using aggregate::SampleRange;
using profile::GpuMetric;
using Parts = std::vector<MetricPart>;

constexpr GpuMetric kNone = GpuMetric::other;  // no further metric

struct KnownLane {
  std::string_view name;
  MetricStyle style = MetricStyle::area;
  std::array<GpuMetric, 3> metrics = {kNone, kNone, kNone};
};

constexpr auto kKnownLanes = std::to_array<KnownLane>({
    {"SM active", MetricStyle::area, {GpuMetric::sm_active, kNone, kNone}},
    {"GPU active", MetricStyle::area, {GpuMetric::gpu_active, kNone, kNone}},
    {"Issue, Tensor", MetricStyle::over, {GpuMetric::sm_issue, GpuMetric::tensor_active, kNone}},
    {"Warps",
     MetricStyle::stacked,
     {GpuMetric::compute_warps, GpuMetric::other_warps, GpuMetric::unallocated_warps}},
    {"DRAM R + W", MetricStyle::stacked, {GpuMetric::dram_read, GpuMetric::dram_write, kNone}},
    {"NVLink RX", MetricStyle::stacked, {GpuMetric::nvlink_rx, kNone, kNone}},
    {"NVLink TX", MetricStyle::stacked, {GpuMetric::nvlink_tx, kNone, kNone}},
    {"PCIe RX, TX", MetricStyle::over, {GpuMetric::pcie_rx, GpuMetric::pcie_tx, kNone}},
    {"Clocks", MetricStyle::lines, {GpuMetric::gpu_clock, GpuMetric::system_clock, kNone}},
});

// With one series for each direction, both are in one lane.
constexpr KnownLane kNvlink{
    "NVLink RX, TX", MetricStyle::over, {GpuMetric::nvlink_rx, GpuMetric::nvlink_tx, kNone}};

Parts parts_of(const profile::Trace& trace, int64_t gpu) {
  const profile::TraceCounters& counters = trace.counters;
  std::vector<std::size_t> series;
  for (std::size_t i = 0; i < counters.series.size(); ++i) {
    const profile::TraceCounters::Series& each = counters.series[i];
    if (each.kind == profile::CounterKind::sample && each.device == gpu) series.push_back(i);
  }
  Parts parts(series.size());
  base::parallel_for(series.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const profile::TraceCounters::Series& each = counters.series[series[i]];
      const std::size_t count = counters.end_of(series[i]) - each.first;
      parts[i] = {
          std::string(profile::without_unit(each.counter)), each.unit,
          profile::gpu_metric_of(each.counter),
          std::make_shared<const SampleCurve>(counters.time_ns.span().subspan(each.first, count),
                                              counters.value.span().subspan(each.first, count))};
    }
  });
  return parts;
}

double largest(const MetricPart& part) {
  return part.curve->size() == 0 ? 0 : part.curve->of({0, part.curve->size()}).most;
}

MetricLane lane_of(std::string name, MetricStyle style, Parts parts) {
  MetricLane lane{std::move(name), style, std::move(parts), 100, 0};
  lane.period_ns = lane.parts.front().curve->period_ns();
  if (lane.is_percent()) return lane;
  lane.top = 0;
  for (const MetricPart& part : lane.parts) lane.top = std::max(lane.top, largest(part));
  if (lane.top <= 0) lane.top = 1;
  return lane;
}

// Takes the parts that belong to the lane out of `parts`, in the order of its metrics.
void add_known(const KnownLane& known, Parts& parts, std::vector<MetricLane>& lanes) {
  Parts taken;
  for (const GpuMetric metric : known.metrics) {
    if (metric == kNone) continue;
    const auto of_metric = std::stable_partition(
        parts.begin(), parts.end(), [&](const MetricPart& part) { return part.metric != metric; });
    std::move(of_metric, parts.end(), std::back_inserter(taken));
    parts.erase(of_metric, parts.end());
  }
  if (taken.empty()) return;
  // Of several metrics one may be missing.
  const bool is_alone = taken.size() == 1;
  const bool is_part = is_alone && known.metrics[1] != kNone;
  std::string name = is_part ? taken.front().name : std::string(known.name);
  lanes.push_back(
      lane_of(std::move(name), is_alone ? MetricStyle::area : known.style, std::move(taken)));
}

MetricColumn column_of(const SampleCurve& curve, const SampleRange& range) {
  const SampleCurve::Summary sum = curve.of(range);
  return {sum.least, sum.sum / static_cast<double>(range.size()), sum.most};
}

}  // namespace

std::vector<int64_t> sampled_gpus(const profile::Trace& trace) {
  std::set<int64_t> gpus;
  for (const profile::TraceCounters::Series& series : trace.counters.series) {
    if (series.kind == profile::CounterKind::sample && series.device) gpus.insert(*series.device);
  }
  return {gpus.begin(), gpus.end()};
}

std::vector<MetricLane> metric_lanes(const profile::Trace& trace, int64_t gpu) {
  Parts parts = parts_of(trace, gpu);
  const auto count = [&parts](GpuMetric metric) {
    return std::ranges::count(parts, metric, &MetricPart::metric);
  };
  const bool joins_nvlink = count(GpuMetric::nvlink_rx) == 1 && count(GpuMetric::nvlink_tx) == 1;
  std::vector<MetricLane> lanes;
  for (const KnownLane& known : kKnownLanes) {
    const bool is_rx = known.metrics[0] == GpuMetric::nvlink_rx;
    add_known(is_rx && joins_nvlink ? kNvlink : known, parts, lanes);
  }
  for (MetricPart& part : parts) {
    std::string name = part.name;
    if (!part.unit.empty() && part.unit != "%") name += " · " + part.unit;
    Parts alone;
    alone.push_back(std::move(part));
    lanes.push_back(lane_of(std::move(name), MetricStyle::area, std::move(alone)));
  }
  return lanes;
}

MetricColumn summarize(const MetricPart& part, const base::Interval& time) {
  const SampleRange range = part.curve->in(time);
  return range.size() == 0 ? MetricColumn() : column_of(*part.curve, range);
}

MetricPicture prepare_metric(const MetricLane& lane, const ColumnTimes& columns) {
  MetricPicture picture;
  for (const MetricPart& part : lane.parts) {
    const SampleCurve& curve = *part.curve;
    std::vector<MetricColumn>& row = picture.emplace_back();
    row.reserve(static_cast<std::size_t>(columns.columns()));
    SampleRange range;
    int64_t reached_ns = INT64_MIN;  // the samples up to there are known
    for (int32_t column = 0; column < columns.columns(); ++column) {
      const base::Interval shown = columns.shown(column);
      // Most columns have about as many samples as the one before.
      const std::size_t step = range.size();
      range.first =
          shown.start_ns == reached_ns ? range.end : curve.until(shown.start_ns, range.end);
      range.end = std::max(range.first, curve.until(shown.stop_ns, range.first + step));
      reached_ns = shown.stop_ns;
      if (range.size() > 0) {
        row.push_back(column_of(curve, range));
        continue;
      }
      const bool is_near = range.end < curve.size() &&
                           curve.time_ns(range.end) - shown.stop_ns <= 2 * curve.period_ns();
      const double value = is_near ? curve.value(range.end) : MetricColumn::kUnknown;
      row.push_back({value, value, value});
    }
  }
  return picture;
}

}  // namespace dlview::timeline
