// The chart of memory: what a pixel column shows, and what a frame of many events costs.

#include "ui/views/tables/memory_chart.h"

#include <algorithm>
#include <ctime>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace dlview::ui {
namespace {

using aggregate::MemoryCurve;
using profile::Row;
using profile::TraceAllocations;

// Events every 10 ns that allocate or free up to 1000 bytes.
TraceAllocations random_events(std::size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int64_t> times, bytes, totals, reserved;
  int64_t total = 1'000'000;
  for (std::size_t i = 0; i < count; ++i) {
    bytes.push_back(static_cast<int64_t>(random() % 2001) - 1000);
    total += bytes.back();
    times.push_back(static_cast<int64_t>(10 * i));
    totals.push_back(total);
    reserved.push_back(2 * total);
  }
  TraceAllocations table;
  table.time_ns = std::move(times);
  table.bytes = std::move(bytes);
  table.total_allocated = std::move(totals);
  table.total_reserved = std::move(reserved);
  return table;
}

MemoryCurve curve_of(const TraceAllocations& table) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < table.size(); ++i) rows.push_back(static_cast<Row>(i));
  return {table, {1, 0}, std::move(rows)};
}

TEST(MemoryChart, ShowsTheMostOfEachColumn) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const TraceAllocations table = random_events(300, seed);
    const MemoryCurve curve = curve_of(table);
    const timeline::TimeMap map({static_cast<int64_t>(100 * seed), 1500}, 37);
    const MemoryPlot plot = prepare_memory_plot(curve, map);
    ASSERT_EQ(plot.columns.size(), 37U);
    int64_t highest = 0;
    for (int32_t column = 0; column < 37; ++column) {
      MemoryCurve::Use most{INT64_MIN, INT64_MIN};
      for (int64_t time = map.begin_ns(column); time < map.begin_ns(column + 1); ++time) {
        most.allocated = std::max(most.allocated, curve.at(time).allocated);
        most.reserved = std::max(most.reserved, curve.at(time).reserved);
      }
      EXPECT_EQ(plot.columns[static_cast<std::size_t>(column)], most) << column;
      highest = std::max({highest, most.allocated, most.reserved});
    }
    EXPECT_EQ(plot.top, highest);
  }
}

TEST(MemoryChart, TakesNoLongerForAMillionEvents) {
  const TraceAllocations few = random_events(1'000, 1), many = random_events(1'000'000, 1);
  const MemoryCurve curve_of_few = curve_of(few), curve_of_many = curve_of(many);
  // CPU time of this process, whatever else the machine does.
  const auto ticks = [](const MemoryCurve& curve, int64_t length_ns) {
    std::clock_t fewest = std::numeric_limits<std::clock_t>::max();
    for (int i = 0; i < 5; ++i) {
      const std::clock_t begin = std::clock();
      const MemoryPlot plot = prepare_memory_plot(curve, timeline::TimeMap({0, length_ns}, 2000));
      fewest = std::min(fewest, std::clock() - begin);
      EXPECT_EQ(plot.columns.size(), 2000U);
    }
    return fewest;
  };
  // A scan of all events would take a thousand times as long.
  EXPECT_LT(ticks(curve_of_many, 10'000'000),
            50 * ticks(curve_of_few, 10'000) + CLOCKS_PER_SEC / 100);
}

}  // namespace
}  // namespace dlview::ui
