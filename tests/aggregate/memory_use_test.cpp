// Memory of made traces against slow sums: curves, peaks, blocks that are alive, ops.

#include "aggregate/memory_use.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/seeds.h"
#include "support/sketched_run.h"

namespace dlview::aggregate {
namespace {

using dlview::import::pytorch::AllocationEvent;
using profile::AllocationIndex;
using profile::kNoRow;
using profile::kNoValue;
using profile::Profile;
using profile::Row;
using ::testing::ElementsAre;
using testing::EventSketch;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::SketchedRun;

constexpr int64_t kCuda = 1, kCpu = 0;

class MemorySketch : public EventSketch {
 public:
  AllocationEvent& memory(int64_t time_ns, int64_t bytes, int64_t address, int64_t total = kNoValue,
                          int64_t device = 0) {
    AllocationEvent event;
    event.time_ns = kOrigin + time_ns;
    event.bytes = bytes;
    event.address = address;
    event.total_allocated = total;
    event.total_reserved = total == kNoValue ? kNoValue : 2 * total;
    event.device_type = kCuda;
    event.device = device;
    events.allocations.push_back(event);
    return events.allocations.back();
  }
};

std::vector<Row> rows_of(const std::vector<AllocationIndex>& events) {
  return {events.begin(), events.end()};
}

// One iteration from 0 on that an op of this length makes.
SketchedRun trace_of(MemorySketch&& sketch) {
  sketch.op("aten::add", 0, 1000);
  return SketchedRun(std::move(sketch));
}

TEST(MemoryUse, FollowsTheTotals) {
  MemorySketch sketch;
  sketch.memory(100, 10, 1, 110);
  sketch.memory(200, 30, 2, 140);
  sketch.memory(300, -10, 1, 130);
  const SketchedRun trace = trace_of(std::move(sketch));
  const std::vector<MemoryCurve> curves = memory_curves(trace.profile());
  ASSERT_THAT(curves, SizeIs(1));
  const MemoryCurve& curve = curves[0];
  EXPECT_TRUE(curve.has_totals());
  EXPECT_EQ(curve.at(0).allocated, 100);
  EXPECT_EQ(curve.at(200), (MemoryCurve::Use{140, 280}));
  EXPECT_EQ(curve.at(5000).allocated, 130);
  EXPECT_EQ(curve.most({0, 150}).allocated, 110);
  EXPECT_EQ(curve.most({310, 320}).allocated, 130);
  EXPECT_EQ(curve.peak({0, 1000}), (MemoryCurve::Peak{200, 2, {140, 280}}));
  // What was there when the range began.
  EXPECT_EQ(curve.peak({250, 260}), (MemoryCurve::Peak{250, 2, {140, 280}}));
}

TEST(MemoryUse, AddsUpEventsWithoutTotals) {
  MemorySketch sketch;
  sketch.memory(100, 10, kNoValue);
  sketch.memory(200, -30, kNoValue);
  sketch.memory(300, 50, kNoValue);
  const SketchedRun trace = trace_of(std::move(sketch));
  const MemoryCurve curve = memory_curves(trace.profile())[0];
  EXPECT_FALSE(curve.has_totals());
  EXPECT_EQ(curve.at(250).allocated, -20);
  EXPECT_EQ(curve.peak({0, 1000}).use.allocated, 30);
  const std::vector<MemoryPeak> peaks = memory_peaks(trace.profile(), trace.whole());
  EXPECT_THAT(peaks[0].alive, IsEmpty());
  EXPECT_EQ(peaks[0].before_bytes, std::nullopt);
}

TEST(MemoryUse, SortsEventsByTime) {
  MemorySketch sketch;
  sketch.memory(300, -10, 1, 100);
  sketch.memory(100, 10, 1, 110);
  sketch.memory(100, 5, 2, 115);
  const SketchedRun trace = trace_of(std::move(sketch));
  const profile::TraceAllocations& table = trace.profile().trace->allocations;
  EXPECT_THAT(std::vector<int64_t>(table.bytes.begin(), table.bytes.end()),
              ElementsAre(10, 5, -10));
  EXPECT_THAT(rows_of(ends_of_blocks(trace.profile())), ElementsAre(2U, kNoRow, kNoRow));
}

TEST(MemoryUse, KeepsDevicesApart) {
  MemorySketch sketch;
  sketch.memory(100, 10, 1, 10, 0);
  sketch.memory(200, 20, 1, 20, 1);
  sketch.memory(250, 8, 1, 8, -1).device_type = kCpu;
  sketch.memory(300, -10, 1, 0, 0);
  const SketchedRun trace = trace_of(std::move(sketch));
  const std::vector<MemoryPeak> peaks = memory_peaks(trace.profile(), trace.whole());
  ASSERT_THAT(peaks, SizeIs(3));
  EXPECT_EQ(to_text(peaks[0].device), "cuda:0");
  EXPECT_EQ(to_text(peaks[1].device), "cuda:1");
  EXPECT_EQ(to_text(peaks[2].device), "CPU");
  EXPECT_EQ(peaks[1].peak.use.allocated, 20);
  EXPECT_THAT(rows_of(ends_of_blocks(trace.profile())), ElementsAre(3U, kNoRow, kNoRow, kNoRow));
}

TEST(MemoryUse, FindsTheGpuOfADevice) {
  const auto found_of = [](const std::vector<int64_t>& gpus, const std::vector<int64_t>& numbers) {
    profile::Profile facts;
    for (const int64_t number : gpus) facts.devices.emplace_back().device_id = number;
    const profile::TraceAllocations table;
    std::vector<MemoryCurve> curves;
    for (const int64_t number : numbers)
      curves.emplace_back(table, MemoryDevice{kCuda, number}, std::vector<Row>());
    curves.emplace_back(table, MemoryDevice{kCpu, -1}, std::vector<Row>());
    std::vector<int64_t> found;
    for (const auto& gpu : gpus_of(facts, curves)) {
      found.push_back(gpu ? facts.devices[*gpu].device_id : -1);
    }
    return found;
  };
  EXPECT_THAT(found_of({2}, {0}), ElementsAre(2, -1)) << "the only one, whatever its number";
  EXPECT_THAT(found_of({0, 1}, {0, 1}), ElementsAre(0, 1, -1));
  EXPECT_THAT(found_of({0, 1, 2}, {1}), ElementsAre(1, -1));
  EXPECT_THAT(found_of({-4, 2, 7, 9}, {9, 2}), ElementsAre(9, 2, -1));
  EXPECT_THAT(found_of({1, 2}, {0, 1}), ElementsAre(-1, -1, -1)) << "numbers differ";
}

TEST(MemoryUse, FindsWhatIsAliveAtThePeak) {
  MemorySketch sketch;
  sketch.memory(100, -7, 50, 93);  // a free without an allocation
  sketch.memory(200, 10, 1, 103);
  sketch.memory(300, 20, 2, 123);
  sketch.memory(400, -10, 1, 113);
  sketch.memory(500, 40, 1, 153);  // at an address that is free again; never freed
  sketch.memory(600, -20, 2, 133);
  const SketchedRun trace = trace_of(std::move(sketch));
  const MemoryPeak peak = memory_peaks(trace.profile(), trace.whole())[0];
  EXPECT_EQ(peak.peak.time_ns, 500);
  EXPECT_THAT(rows_of(peak.alive), ElementsAre(2U, 4U));
  EXPECT_EQ(peak.before_bytes, 153 - 60);
}

TEST(MemoryUse, EndsABlockWhereAnotherOneBegins) {
  MemorySketch sketch;
  sketch.memory(100, 10, 1, 10);
  sketch.memory(200, 30, 1, 40);  // the free between them was not recorded
  const SketchedRun trace = trace_of(std::move(sketch));
  EXPECT_THAT(rows_of(ends_of_blocks(trace.profile())), ElementsAre(1U, kNoRow));
  const MemoryPeak peak = memory_peaks(trace.profile(), trace.whole())[0];
  EXPECT_THAT(rows_of(peak.alive), ElementsAre(1U));
  EXPECT_EQ(peak.before_bytes, 10);
}

TEST(MemoryUse, TakesNegativeTotalsAsTheyAre) {
  MemorySketch sketch;
  sketch.memory(100, 10, 1, -90);
  const SketchedRun trace = trace_of(std::move(sketch));
  const MemoryPeak peak = memory_peaks(trace.profile(), trace.whole())[0];
  EXPECT_EQ(peak.peak.use.allocated, -90);
  EXPECT_EQ(peak.before_bytes, 0);
}

TEST(MemoryUse, AddsUpByOp) {
  MemorySketch sketch;
  sketch.op("aten::mm", 0, 100);
  sketch.op("aten::relu", 100, 200);
  sketch.memory(50, 10, 1, 10);
  sketch.memory(150, 20, 2, 30);
  sketch.memory(160, -10, 1, 20);
  sketch.memory(500, -20, 2, 0);
  const SketchedRun trace{std::move(sketch)};
  const Profile& profile = trace.profile();
  std::map<std::string, OpMemory> rows;
  for (const OpMemory& row : op_memory(profile, trace.whole())) {
    rows[row.op == kNoRow ? "" : std::string(profile.text(profile.ops.name[row.op]))] = row;
  }
  EXPECT_EQ(rows["/aten::mm"].allocated_bytes, 10);
  EXPECT_EQ(rows["/aten::relu"].allocations, 1);
  EXPECT_EQ(rows["/aten::relu"].freed_bytes, 10);
  EXPECT_EQ(rows.contains(""), false) << "after the last op, outside of the range";
}

TEST(MemoryUse, FollowsTheRangeOfIterations) {
  MemorySketch sketch;
  for (int64_t step = 0; step < 4; ++step) {
    const int64_t start = 1000 * step;
    sketch.annotation("ProfilerStep#" + std::to_string(step), start, start + 1000);
    sketch.op("aten::add", start + 10, start + 90);
    sketch.memory(start + 20, 10 * (4 - step), step, 10 * (4 - step));
    sketch.memory(start + 50, -10 * (4 - step), step, 0);
  }
  const SketchedRun trace(std::move(sketch), "ProfilerStep");
  const MemoryPeak peak = memory_peaks(trace.profile(), trace.range({1, 2}))[0];
  EXPECT_EQ(peak.peak.time_ns, 1020);
  EXPECT_EQ(peak.peak.use.allocated, 30);
  const std::vector<OpMemory> ops = op_memory(trace.profile(), trace.range({1, 2}));
  ASSERT_THAT(ops, SizeIs(1));
  EXPECT_EQ(ops[0].allocated_bytes, 50);
}

// Random events, against a list of blocks that is searched from its beginning.
class RandomMemory : public ::testing::TestWithParam<uint64_t> {};

TEST_P(RandomMemory, EqualsASlowSearch) {
  std::mt19937_64 random(GetParam());
  MemorySketch sketch;
  std::map<std::pair<int64_t, int64_t>, int64_t> blocks;  // by device and address
  std::map<int64_t, int64_t> totals{{0, 1000}, {1, 500}};
  for (int64_t i = 0; i < 400; ++i) {
    const auto device = static_cast<int64_t>(random() % 2), address = int64_t(random() % 12);
    auto& block = blocks[{device, address}];
    const int64_t bytes = block > 0 ? -block : 1 + int64_t(random() % 100);
    block += bytes;
    totals[device] += bytes;
    sketch.memory(i * 2 + int64_t(random() % 2), bytes, address, totals[device], device);
  }
  const SketchedRun trace = trace_of(std::move(sketch));
  const Profile& profile = trace.profile();
  const profile::TraceAllocations& table = profile.trace->allocations;
  for (const MemoryPeak& peak : memory_peaks(profile, trace.whole())) {
    int64_t most = INT64_MIN, at = 0;
    std::size_t last = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (table.device[i] != peak.device.number || table.total_allocated[i] <= most) continue;
      most = table.total_allocated[i];
      at = table.time_ns[i];
      last = i;
    }
    EXPECT_EQ(peak.peak.use.allocated,
              std::max(most, peak.device.number == 0 ? int64_t{1000} : int64_t{500}));
    if (peak.peak.event == 0) continue;
    EXPECT_EQ(peak.peak.time_ns, at);
    std::vector<Row> alive;
    for (std::size_t i = 0; i <= last; ++i) {
      if (table.device[i] != peak.device.number || table.bytes[i] <= 0) continue;
      bool is_freed = false;
      for (std::size_t j = i + 1; j <= last; ++j) {
        is_freed = is_freed ||
                   (table.device[j] == table.device[i] && table.address[j] == table.address[i]);
      }
      if (!is_freed) alive.push_back(static_cast<Row>(i));
    }
    EXPECT_EQ(rows_of(peak.alive), alive);
  }
  for (const MemoryCurve& curve : memory_curves(profile)) {
    for (int i = 0; i < 50; ++i) {
      const auto start = int64_t(random() % 900), stop = start + int64_t(random() % 200);
      int64_t most = curve.at(start).allocated;
      for (int64_t time = start; time <= stop; ++time) {
        most = std::max(most, curve.at(time).allocated);
      }
      EXPECT_EQ(curve.most({start, stop}).allocated, most);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, RandomMemory, ::testing::Range<uint64_t>(0, testing::seeds(20)));

}  // namespace
}  // namespace dlview::aggregate
