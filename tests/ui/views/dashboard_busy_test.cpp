// GPU utilization over time, against a count of every nanosecond.
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/rules/rule_index.h"
#include "support/sketch.h"
#include "ui/views/dashboard/busy_slices.h"

namespace dlview::ui {
namespace {

using ::testing::IsEmpty;

struct BusyEvent {
  int64_t start, stop;
  int32_t gpu;
};
// Overlaps, gaps, and a second GPU that works late.
const std::vector<BusyEvent> kBusyEvents{{10, 60, 0}, {40, 90, 0}, {200, 310, 0}, {450, 500, 1}};

std::shared_ptr<const profile::Profile> busy_run(const std::vector<BusyEvent>& events) {
  testing::Sketch sketch(2);
  const auto step = sketch.instance(sketch.op("step"), 0, 500);
  for (const BusyEvent& event : events) sketch.kernel(step, event.start, event.stop, event.gpu);
  return sketch.finish();
}

double slow_busy_percent(int64_t start, int64_t stop) {
  int64_t busy = 0;
  for (const int32_t gpu : {0, 1}) {
    for (int64_t at = start; at < stop; ++at) {
      for (const BusyEvent& event : kBusyEvents) {
        if (event.gpu != gpu || at < event.start || at >= event.stop) continue;
        ++busy;
        break;
      }
    }
  }
  return 100.0 * static_cast<double>(busy) / static_cast<double>(2 * (stop - start));
}

TEST(BusySlices, EqualACountOfNanoseconds) {
  const auto profile = busy_run(kBusyEvents);
  const aggregate::RuleIndex rules(*profile);
  for (const int64_t most : {1, 7, 30, 500}) {
    const std::vector<BusySlice> slices = busy_slices(rules, 0, 500, most);
    ASSERT_EQ(std::ssize(slices), most);
    EXPECT_EQ(slices.front().start_ns, 0);
    EXPECT_EQ(slices.back().stop_ns, 500);
    for (std::size_t i = 0; i < slices.size(); ++i) {
      EXPECT_EQ(slices[i].start_ns, i == 0 ? 0 : slices[i - 1].stop_ns);
      EXPECT_DOUBLE_EQ(slices[i].percent, slow_busy_percent(slices[i].start_ns, slices[i].stop_ns));
    }
  }
}

TEST(BusySlices, AreAtLeastOneNanosecond) {
  const auto profile = busy_run(kBusyEvents);
  const aggregate::RuleIndex rules(*profile);
  EXPECT_EQ(busy_slices(rules, 20, 25).size(), 5U);
  EXPECT_EQ(busy_slices(rules, 20, 25)[0].percent, 100.0 / 2);
}

TEST(BusySlices, AreNoneWithoutTimeOrGpus) {
  const auto profile = busy_run(kBusyEvents);
  const aggregate::RuleIndex rules(*profile);
  EXPECT_THAT(busy_slices(rules, 20, 20), IsEmpty());
  const auto idle = busy_run({});
  const aggregate::RuleIndex none(*idle);
  EXPECT_THAT(busy_slices(none, 0, 500), IsEmpty());
}

TEST(BusySlices, CountOverlapsOnce) {
  testing::Sketch sketch(1);
  sketch.kernel(sketch.instance(sketch.op("a"), 0, 100), 0, 60, 0);
  sketch.kernel(sketch.instance(sketch.op("b"), 0, 100), 20, 80, 0);
  const auto profile = sketch.finish();
  const aggregate::RuleIndex rules(*profile);
  EXPECT_EQ(busy_slices(rules, 0, 100, 1)[0].percent, 80);
}

}  // namespace
}  // namespace dlview::ui
