#include "aggregate/cpu/instance_spans.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/row_filter.h"
#include "aggregate/run_windows.h"
#include "support/random_profile.h"
#include "support/sketch.h"

namespace dlview::aggregate::cpu {
namespace {

using profile::Profile;
using profile::Row;

constexpr Row kRun = InstanceSpans::kRun;

// Instance i begins at 10 * i; in every second run the first one has a kernel at the end.
std::shared_ptr<const Profile> with_late_kernels(Row runs) {
  testing::Sketch sketch;
  const Row op = sketch.op("net/op");
  const int64_t end_ns = int64_t{10} * runs * kRun;
  for (Row i = 0; i < runs * kRun; ++i) {
    const Row row = sketch.instance(op, int64_t{10} * i, int64_t{10} * i + 5);
    if (i % (2 * kRun) == kRun) sketch.kernel(row, end_ns, end_ns + 1);
  }
  return sketch.finish();
}

std::vector<Timing> timings_of(const std::vector<Segment>& segments) {
  std::vector<Timing> timings;
  for (const Segment& segment : segments) timings.push_back(segment.timing);
  return timings;
}

TEST(InstanceSpans, TellNeighborsThatLieDifferentlyApart) {
  const auto profile = with_late_kernels(4);
  const InstanceSpans spans(*profile, 1);
  const auto segments = spans.segments({{0, int64_t{10} * 3 * kRun}});
  EXPECT_EQ(timings_of(segments),
            (std::vector{Timing::inside, Timing::partly, Timing::inside, Timing::partly}));
  for (Row run = 0; run < 4; ++run) {
    EXPECT_EQ(segments[run].first, run * kRun);
    EXPECT_EQ(segments[run].end, (run + 1) * kRun);
  }
}

// Each would be taken from the sums of all rows by itself, whenever a range is asked for.
TEST(InstanceSpans, DoNotTellApartWhatIsShorterThanABlock) {
  const auto profile = with_late_kernels(1'000);
  const int64_t end_ns = int64_t{10} * 1'000 * kRun;
  const std::vector<TimeWindow> window{{0, end_ns - 1}};
  EXPECT_EQ(InstanceSpans(*profile, kRun).segments(window).size(), 1'000U);
  const auto segments = InstanceSpans(*profile, kRun + 1).segments(window);
  ASSERT_EQ(timings_of(segments), std::vector{Timing::partly});
  EXPECT_EQ(segments[0].first, 0U);
  EXPECT_EQ(segments[0].end, 1'000 * kRun);
}

TEST(InstanceSpans, TakeNothingThatIsOutsideForPartly) {
  const auto profile = with_late_kernels(4);
  const InstanceSpans spans(*profile, 10 * kRun);
  EXPECT_EQ(timings_of(spans.segments({{-20, -10}})), std::vector{Timing::outside});
  EXPECT_EQ(timings_of(spans.segments({{0, int64_t{10} * kRun - 1}})),
            (std::vector{Timing::partly, Timing::outside}));
}

TEST(InstanceSpans, AreNoneWithoutInstances) {
  const auto profile = testing::Sketch().finish();
  EXPECT_TRUE(InstanceSpans(*profile, 1).segments({{0, 10}}).empty());
}

// Of one run, by a look at every window.
Timing timing_of(const TimeWindow& span, const std::vector<TimeWindow>& windows) {
  const bool inside = std::ranges::any_of(windows, [&](const TimeWindow& window) {
    return window.start_ns <= span.start_ns && span.stop_ns <= window.stop_ns;
  });
  const bool touches = std::ranges::any_of(windows, [&](const TimeWindow& window) {
    return window.start_ns <= span.stop_ns && span.start_ns <= window.stop_ns;
  });
  return inside ? Timing::inside : touches ? Timing::partly : Timing::outside;
}

TEST(InstanceSpans, AreThoseOfALoopOverAllEvents) {
  int inside_between_others = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Profile profile = testing::random_profile(many_runs(seed));
    const InstanceSpans spans(profile, 1);
    const std::vector<TimeWindow> of_runs = spans_of_runs(profile);
    RunWindows random(profile, seed);
    for (int i = 0; i < 20; ++i) {
      const RowFilter filter(profile, random.filters());
      Row next = 0;
      for (const Segment& segment : spans.segments(filter.windows())) {
        ASSERT_EQ(segment.first, next);
        for (; next < segment.end; next += kRun) {
          ASSERT_EQ(segment.timing, timing_of(of_runs[next / kRun], filter.windows())) << next;
        }
        next = segment.end;
        const bool is_last = next == profile.instances.size();
        const bool is_between = segment.first > 0 && !is_last;
        if (is_between && segment.timing == Timing::inside) ++inside_between_others;
      }
      ASSERT_EQ(next, profile.instances.size());
    }
  }
  EXPECT_GT(inside_between_others, 100);
}

}  // namespace
}  // namespace dlview::aggregate::cpu
