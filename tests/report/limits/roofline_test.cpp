// The roofline and the quadrants of rows made by hand, and the SVG of them.
#include "report/limits/roofline.h"

#include <cmath>
#include <random>
#include <vector>

#include <gmock/gmock.h>

#include "report/limits/roofline_svg.h"
#include "support/limit_rows.h"

namespace dlview::report {
namespace {

using aggregate::GpuPeaks;
using aggregate::Limit;
using aggregate::LimitRow;
using aggregate::MathType;
using aggregate::Origin;
using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::limit_row;
using ::testing::Not;
using testing::round_peaks;
using ::testing::SizeIs;

constexpr auto kCounted = Origin::counted;

TEST(Roofline, PlacesMarksByIntensityAndRate) {
  const GpuPeaks peaks = round_peaks();
  // 1e9 FLOP and 1e7 bytes in 1 ms: 1 TFLOP/s at 100 FLOP/B.
  const std::vector rows{limit_row("gemm", 1'000'000, 1e9, 1e7, kCounted, peaks)};
  const Roofline plot = prepare_roofline(rows, &peaks, LimitRule::best);
  ASSERT_THAT(plot.marks, SizeIs(1));
  EXPECT_NEAR(plot.marks[0].x, 2, 1e-9);
  EXPECT_NEAR(plot.marks[0].y, 12, 1e-9);
  EXPECT_EQ(plot.marks[0].radius, kMostRadius);
  EXPECT_EQ(plot.marks[0].origin, kCounted);
  EXPECT_EQ(plot.marks[0].verdict.limit, Limit::neither);
}

TEST(Roofline, FitsDataAndRidgesInWholeDecades) {
  const GpuPeaks peaks = round_peaks();
  // x = -0.3, y = 10.7; ridge at 2, peak at 14.
  const std::vector rows{limit_row("add", 1'000'000, 5e7, 1e8, kCounted, peaks)};
  const Roofline plot = prepare_roofline(rows, &peaks, LimitRule::best);
  EXPECT_EQ(plot.x, (Decades{-2, 3}));
  EXPECT_EQ(plot.y, (Decades{9, 15}));
  const Roofline none = prepare_roofline({}, nullptr, LimitRule::best);
  EXPECT_EQ(none.x, (Decades{-1, 3}));
  EXPECT_THAT(none.roofs, IsEmpty());
}

TEST(Roofline, SizesMarksByArea) {
  const GpuPeaks peaks = round_peaks();
  const std::vector rows{limit_row("small", 1'000, 1e9, 1e7, kCounted, peaks),
                         limit_row("quarter", 250'000, 1e9, 1e7, kCounted, peaks),
                         limit_row("large", 1'000'000, 1e9, 1e7, kCounted, peaks)};
  const Roofline plot = prepare_roofline(rows, &peaks, LimitRule::best);
  ASSERT_THAT(plot.marks, SizeIs(3));
  EXPECT_EQ(plot.marks[0].row, 2U);  // the largest is drawn first
  EXPECT_FLOAT_EQ(plot.marks[1].radius, kMostRadius / 2);
  EXPECT_EQ(plot.marks[2].radius, kLeastRadius);
}

TEST(Roofline, PutsRowsWithoutFlopIntoStrip) {
  const GpuPeaks peaks = round_peaks();
  const std::vector rows{limit_row("copy", 1'000'000, 0.0, 1e8, kCounted, peaks),
                         limit_row("unknown", 1'000'000, {}, {}, Origin::none, peaks),
                         limit_row("bytes", 1'000'000, {}, 1e8, Origin::estimated, peaks)};
  const Roofline plot = prepare_roofline(rows, &peaks, LimitRule::best);
  EXPECT_THAT(plot.marks, IsEmpty());
  ASSERT_THAT(plot.strip, SizeIs(1));
  EXPECT_NEAR(plot.strip[0].y, 11, 1e-9);  // 100 GB/s
  EXPECT_EQ(plot.strip_y, (Decades{10, 13}));
  EXPECT_EQ(plot.unplaced, 2U);
}

TEST(Roofline, EndsRoofsAtRidge) {
  const GpuPeaks peaks = round_peaks();
  const std::vector rows{limit_row("gemm", 1'000'000, 1e9, 1e7, kCounted, peaks),
                         limit_row("simt", 1'000'000, 1e9, 1e7, kCounted, peaks, MathType::fp32)};
  const Roofline plot = prepare_roofline(rows, &peaks, LimitRule::best);
  ASSERT_THAT(plot.roofs, SizeIs(3));
  EXPECT_EQ(plot.roofs[0].label, "DRAM 1.00\u202fTB/s");
  EXPECT_EQ(plot.ridge(plot.roofs[1]), 20.0);   // FP32
  EXPECT_EQ(plot.ridge(plot.roofs[2]), 100.0);  // FP16 Tensor
  const Decades x{-1, 3}, y{9, 15};
  const auto memory = roof_line(plot, plot.roofs[0], x, y);
  ASSERT_TRUE(memory);
  EXPECT_NEAR(memory->x0, -1, 1e-9);
  EXPECT_NEAR(memory->x1, 2, 1e-9);  // where it meets the highest one
  EXPECT_NEAR(memory->y1, 14, 1e-9);
  const auto flat = roof_line(plot, plot.roofs[1], x, y);
  ASSERT_TRUE(flat);
  EXPECT_NEAR(flat->x0, std::log10(20), 1e-9);
  EXPECT_NEAR(flat->x1, 3, 1e-9);
  EXPECT_FALSE(roof_line(plot, plot.roofs[1], x, {9, 12}));
}

TEST(Roofline, KeepsRoofsOfOtherFormatsApart) {
  const GpuPeaks peaks = round_peaks();
  const std::vector rows{limit_row("gemm", 1'000'000, 1e9, 1e7, kCounted, peaks)};
  const Roofline plot = prepare_roofline(rows, &peaks, LimitRule::best);
  ASSERT_THAT(plot.roofs, SizeIs(3));
  EXPECT_EQ(plot.roofs[1].type, MathType::fp16_tensor);
  EXPECT_TRUE(plot.roofs[1].in_use);
  EXPECT_FALSE(plot.roofs[2].in_use);
}

TEST(Roofline, MarksRowsAboveTheirRoof) {
  const GpuPeaks peaks = round_peaks();
  const std::vector rows{limit_row("cached", 1'000'000, 1e9, 2e9, kCounted, peaks)};  // 2 TB/s
  const Roofline plot = prepare_roofline(rows, &peaks, LimitRule::best);
  ASSERT_THAT(plot.marks, SizeIs(1));
  EXPECT_TRUE(plot.marks[0].is_above);
  EXPECT_EQ(plot.marks[0].verdict.limit, Limit::memory);
}

TEST(Roofline, KeepsSmallestOfManyAsDensity) {
  const GpuPeaks peaks = round_peaks();
  std::mt19937_64 random(7);
  std::vector<LimitRow> rows;
  int64_t longest_dense = 0;
  for (int i = 0; i < 2500; ++i) {
    const auto time = static_cast<int64_t>(1000 + random() % 1'000'000);
    rows.push_back(limit_row("op", time, 1e6, 1e5, kCounted, peaks));
  }
  const Roofline plot = prepare_roofline(rows, &peaks, LimitRule::best);
  EXPECT_THAT(plot.marks, SizeIs(kMostMarks));
  EXPECT_THAT(plot.dense, SizeIs(500));
  for (const RooflineMark& mark : plot.dense) {
    longest_dense = std::max(longest_dense, rows[mark.row].time_ns);
  }
  EXPECT_LE(longest_dense, rows[plot.marks.back().row].time_ns);
}

TEST(Roofline, IgnoresInfiniteNumbers) {
  const GpuPeaks peaks = round_peaks();
  LimitRow row = limit_row("odd", 1'000'000, 1e9, 1e7, kCounted, peaks);
  row.intensity = std::numeric_limits<double>::infinity();
  const Roofline plot = prepare_roofline(std::vector{row}, &peaks, LimitRule::best);
  EXPECT_THAT(plot.marks, IsEmpty());
  EXPECT_EQ(plot.unplaced, 1U);
}

TEST(PlotMap, GoesThereAndBack) {
  const PlotMap map{100, 50, 500, 450, {-1, 3}, {9, 13}};
  EXPECT_DOUBLE_EQ(map.to_x(-1), 100);
  EXPECT_DOUBLE_EQ(map.to_x(1), 300);
  EXPECT_DOUBLE_EQ(map.to_y(9), 450);
  EXPECT_DOUBLE_EQ(map.to_y(13), 50);
  EXPECT_DOUBLE_EQ(map.x_at(map.to_x(0.25)), 0.25);
  EXPECT_DOUBLE_EQ(map.y_at(map.to_y(10.75)), 10.75);
}

TEST(LogTicks, LabelDecadesOnly) {
  const auto ticks = log_ticks({-1, 1}, false);
  ASSERT_THAT(ticks, SizeIs(19));  // 0.1 to 10
  EXPECT_EQ(ticks[0].label, "0.1");
  EXPECT_TRUE(ticks[0].is_major);
  EXPECT_EQ(ticks[1].label, "");
  EXPECT_EQ(ticks[9].label, "1");
  EXPECT_EQ(ticks[18].label, "10");
}

TEST(LogTicks, LabelDigitsWithinADecade) {
  const auto ticks = log_ticks({9.2, 9.9}, true);
  ASSERT_THAT(ticks, Not(IsEmpty()));
  EXPECT_EQ(ticks[0].label, "2\u202fG");
}

TEST(Quadrants, PlaceSharesInPercent) {
  const GpuPeaks peaks = round_peaks();
  // 80 TFLOP/s and 0.5 TB/s.
  const std::vector rows{limit_row("gemm", 1'000'000, 8e10, 5e8, kCounted, peaks),
                         limit_row("unknown", 1'000, {}, 1e8, Origin::estimated, peaks)};
  const Quadrants quadrants = prepare_quadrants(rows, LimitRule::best, {});
  ASSERT_THAT(quadrants.marks, SizeIs(1));
  EXPECT_NEAR(quadrants.marks[0].compute, 80, 1e-9);
  EXPECT_NEAR(quadrants.marks[0].memory, 50, 1e-9);
  EXPECT_EQ(quadrants.marks[0].verdict.limit, Limit::math);
  EXPECT_EQ(quadrants.top, 100);
  EXPECT_EQ(quadrants.unplaced, 1U);
}

TEST(Quadrants, StretchAbove100Percent) {
  const GpuPeaks peaks = round_peaks();
  const std::vector rows{limit_row("cached", 1'000'000, 1e9, 1.05e9, kCounted, peaks)};
  EXPECT_EQ(prepare_quadrants(rows, LimitRule::best, {}).top, 110);
}

TEST(Quadrants, ShowBusyCountersWhereRuleAsks) {
  const GpuPeaks peaks = round_peaks();
  LimitRow row = limit_row("gemm", 1'000'000, 5e9, 1e8, kCounted, peaks);
  row.busy_math = {88.9, kCounted};
  row.busy_memory = {0.83, kCounted};
  row.by_busy = Limit::math;
  const Quadrants busy = prepare_quadrants(std::vector{row}, LimitRule::busy, {});
  ASSERT_THAT(busy.marks, SizeIs(1));
  EXPECT_EQ(busy.marks[0].compute, 88.9);
  EXPECT_EQ(busy.marks[0].verdict.limit, Limit::math);
  const Quadrants work = prepare_quadrants(std::vector{row}, LimitRule::flops, {});
  EXPECT_NEAR(work.marks[0].compute, 5, 1e-9);
  EXPECT_EQ(work.marks[0].verdict.limit, Limit::neither);
}

TEST(LimitVerdict, NeverSaysNeitherOfEstimates) {
  const GpuPeaks peaks = round_peaks();
  const LimitRow row = limit_row("gemm", 1'000'000, 1e9, 1e7, Origin::estimated, peaks);
  EXPECT_EQ(verdict_of(row, LimitRule::best).limit, Limit::unknown);
  EXPECT_EQ(verdict_of(row, LimitRule::intensity).limit, Limit::memory);
}

TEST(LimitRule, ReadsItsTexts) {
  for (int i = 0; i < kLimitRules; ++i) {
    const auto rule = static_cast<LimitRule>(i);
    EXPECT_EQ(parse_limit_rule(to_text(rule)), rule);
  }
  EXPECT_EQ(parse_limit_rule("none"), std::nullopt);
}

TEST(RooflineSvg, DrawsAMarkForEachRow) {
  const GpuPeaks peaks = round_peaks();
  const std::vector rows{limit_row("a<b>&\"c\"", 1'000'000, 9e10, 1e7, kCounted, peaks),
                         limit_row("copy", 1'000, 0.0, 1e8, kCounted, peaks)};
  const Roofline plot = prepare_roofline(rows, &peaks, LimitRule::best);
  const std::string svg = roofline_svg(plot, rows, "Limits by op · GPU");
  EXPECT_THAT(svg, HasSubstr("<polygon"));
  EXPECT_THAT(svg, HasSubstr("a&lt;b&gt;&amp;&quot;c&quot; · math"));
  EXPECT_THAT(svg, HasSubstr("FP16 Tensor 100\u202fTFLOP/s"));
  EXPECT_THAT(svg, HasSubstr("no FLOP"));
  EXPECT_THAT(svg, HasSubstr("Limits by op · GPU"));
}

}  // namespace
}  // namespace dlview::report
