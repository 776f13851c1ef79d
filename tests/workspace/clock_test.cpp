#include "workspace/clock.h"

#include <limits>
#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "support/sketch.h"
#include "workspace/session_support.h"

namespace dlview::workspace {
namespace {

constexpr int64_t kUtc = 1'700'000'000'000'000'000;

// Ten iterations of 100 ns from `start_ns` on.
RunModel run(int64_t start_ns, std::optional<int64_t> utc_start_ns = std::nullopt) {
  testing::Sketch sketch;
  const auto step = sketch.op("step");
  for (int64_t i = 0; i < 10; ++i) {
    sketch.instance(step, start_ns + 100 * i, start_ns + 100 * i + 90);
  }
  auto profile = std::make_shared<profile::Profile>(*sketch.finish());
  if (utc_start_ns) profile->trace.emplace().utc_start_ns = utc_start_ns;
  RunModel run;
  run.profile = profile;
  const auto engine = engine_factory(EngineChoice::cpu)(profile);
  run.aggregation = std::make_shared<const aggregate::Aggregation>(
      engine->aggregate({{aggregate::CutKind::start, "step"}, {0, 9}}));
  return run;
}

void select(RunModel& run, int64_t first) {
  const auto engine = engine_factory(EngineChoice::cpu)(run.profile);
  run.aggregation = std::make_shared<const aggregate::Aggregation>(
      engine->aggregate({{aggregate::CutKind::start, "step"}, {first, 9}}));
}

TEST(ClockOffset, AlignsTheStartsOfBothRanges) {
  RunModel shown = run(1000), other = run(5000);
  select(shown, 3);
  select(other, 5);
  const auto rows = [](const RunModel& of, int64_t row) {
    return of.aggregation->iteration_table->iterations.rows[static_cast<std::size_t>(row)].start_ns;
  };
  const ClockOffset offset = clock_offset(shown, other);
  EXPECT_EQ(offset.by, ClockOffset::By::range_start);
  EXPECT_EQ(rows(other, 5) + offset.ns, rows(shown, 3));
  EXPECT_EQ(clock_offset(other, shown).ns, -offset.ns);
}

TEST(ClockOffset, UsesWallClockWhenCapturesOverlap) {
  const RunModel shown = run(0, kUtc), other = run(0, kUtc + 300);
  EXPECT_EQ(clock_offset(shown, other), (ClockOffset{300, ClockOffset::By::wall_clock}));
  EXPECT_EQ(clock_offset(other, shown), (ClockOffset{-300, ClockOffset::By::wall_clock}));
}

TEST(ClockOffset, IgnoresTheWallClockOfRunsOfOtherTimes) {
  const RunModel shown = run(0, kUtc);
  for (const int64_t later : {1000L, 60'000'000'000L, -1000L}) {
    EXPECT_EQ(clock_offset(shown, run(0, kUtc + later)).by, ClockOffset::By::range_start) << later;
  }
  EXPECT_EQ(clock_offset(shown, run(0)).by, ClockOffset::By::range_start) << "only one tells it";
}

// Sessions that overlap say nothing where the work of one ended before that of the other began.
TEST(ClockOffset, ComparesWhenBothWorked) {
  RunModel late = run(5000, kUtc);
  auto profile = std::make_shared<profile::Profile>(*late.profile);
  profile->first_ns = 5000;
  late.profile = profile;
  EXPECT_EQ(clock_offset(late, run(0, kUtc + 100)).by, ClockOffset::By::range_start);
  EXPECT_EQ(clock_offset(run(0, kUtc + 100), late).by, ClockOffset::By::range_start);
  EXPECT_EQ(clock_offset(late, run(0, kUtc + 5100)).by, ClockOffset::By::wall_clock);
}

TEST(ClockOffset, IgnoresWallClocksThatAreNone) {
  for (const int64_t utc : {std::numeric_limits<int64_t>::min(), int64_t{-1}, int64_t{0},
                            std::numeric_limits<int64_t>::max()}) {
    EXPECT_EQ(clock_offset(run(0, utc), run(0, utc)).by, ClockOffset::By::range_start) << utc;
    EXPECT_EQ(clock_offset(run(0, kUtc), run(0, utc)).by, ClockOffset::By::range_start) << utc;
  }
}

}  // namespace
}  // namespace dlview::workspace
