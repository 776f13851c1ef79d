// What the view of limits is made of: choices, keys, shares of evidence, badges, reasons.
#include "ui/views/limits/limit_data.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "aggregate/aggregator.h"
#include "support/limit_rows.h"
#include "support/sketch.h"
#include "ui/views/limits/badges.h"
#include "ui/views/limits/evidence.h"
#include "ui/views/limits/why_no_marks.h"

namespace dlview::ui {
namespace {

using aggregate::Limit;
using aggregate::LimitRow;
using aggregate::LimitsBy;
using aggregate::Origin;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::limit_row;
using testing::round_peaks;
using ::testing::StartsWith;

const aggregate::GpuPeaks& peaks() {
  static const aggregate::GpuPeaks kPeaks = round_peaks();
  return kPeaks;
}

std::shared_ptr<const LimitData> data_of(std::vector<LimitRow> rows,
                                         const LimitChoice& choice = {}) {
  testing::Sketch sketch;
  const auto op = sketch.op("net/a");
  sketch.kernel(sketch.instance(op, 0, 10), 0, 5);
  const std::shared_ptr<const profile::Profile> profile = sketch.finish();
  const auto engine = aggregate::make_cpu_aggregator(profile);
  const auto aggregation =
      std::make_shared<const aggregate::Aggregation>(engine->aggregate({{}, {0, 0}}));
  const std::vector<LimitRow> base = rows;
  return make_limit_data(profile, aggregation, nullptr, choice, std::move(rows), base);
}

LimitRow counted(std::string_view name, int64_t ns, double flops, double bytes) {
  return limit_row(name, ns, flops, bytes, Origin::counted, peaks());
}
LimitRow unknown(std::string_view name, int64_t ns) {
  return limit_row(name, ns, {}, {}, Origin::none, peaks());
}

TEST(LimitChoice, SurvivesTheStateString) {
  LimitChoice choice;
  EXPECT_EQ(to_text(choice), "");
  choice.by = LimitsBy::kernel;
  choice.type = aggregate::MathType::fp16_tensor;
  choice.rule = report::LimitRule::busy;
  choice.hides[3] = true;
  choice.shows_all_roofs = true;
  const std::string text = to_text(choice);
  EXPECT_EQ(text, "by=kernel type=fp16_tensor rule=ub hide=unknown all_roofs");
  EXPECT_EQ(parse_limit_choice(text), choice);
  EXPECT_EQ(parse_limit_choice("by=nothing rule= hide"), LimitChoice{});
}

TEST(LimitData, SharesAddUpToGpuTime) {
  LimitRow half = limit_row("half", 1000, 1e6, 1e5, Origin::estimated, peaks());
  half.known_ns = 600;
  half.measured_ns = 100;
  const auto data = data_of({half, unknown("u", 1000)});
  EXPECT_THAT(data->evidence.ns, ElementsAre(100, 0, 500, 1400));
  EXPECT_EQ(data->evidence.total_ns(), 2000);
  EXPECT_EQ(data->evidence.percent(LimitEvidence::estimates), 25);
}

TEST(LimitData, HidesRowsOfAChip) {
  LimitChoice choice;
  choice.hides[static_cast<std::size_t>(LimitEvidence::unknown)] = true;
  const auto data = data_of({counted("gemm", 1000, 1e6, 1e5), unknown("u", 1000)}, choice);
  ASSERT_EQ(data->rows().size(), 1U);
  EXPECT_EQ(data->rows()[0].name, "gemm");
  EXPECT_EQ(data->hidden, 1U);
  EXPECT_EQ(data->evidence.total_ns(), 2000);  // the chips keep their shares
}

TEST(LimitData, KeepsRowsOfANumberFormat) {
  LimitChoice choice;
  choice.type = aggregate::MathType::fp32;
  const auto data = data_of(
      {counted("gemm", 1000, 1e6, 1e5),
       limit_row("simt", 500, 1e6, 1e5, Origin::counted, peaks(), aggregate::MathType::fp32)},
      choice);
  ASSERT_EQ(data->rows().size(), 1U);
  EXPECT_EQ(data->rows()[0].name, "simt");
}

TEST(LimitData, KeysTellEqualNamesApart) {
  const auto data = data_of({unknown("k", 2), unknown("k", 1), unknown("other", 1)});
  EXPECT_THAT(*data->keys, ElementsAre("k", "k #2", "other"));
  EXPECT_EQ(data->row_of("k #2"), 1U);
  EXPECT_EQ(data->row_of("none"), std::nullopt);
}

TEST(LimitData, TableFollowsTheRule) {
  LimitRow row = counted("gemm", 1'000'000, 5e9, 1e8);
  row.busy_math = {88.9, Origin::counted};
  row.busy_memory = {0.83, Origin::counted};
  row.by_busy = Limit::math;
  LimitChoice choice;
  EXPECT_EQ(text_of_cell(data_of({row})->table->table, 0, "limit"), "neither");
  choice.rule = report::LimitRule::busy;
  const auto data = data_of({row}, choice);
  EXPECT_EQ(text_of_cell(data->table->table, 0, "limit"), "math");
  EXPECT_EQ((*data->table->badges)[0].word(), "math");
}

TEST(WhyNoMarks, SaysHowToRecordWork) {
  const auto data = data_of({unknown("a", 10)});
  const auto plot = report::prepare_roofline(data->rows(), nullptr, report::LimitRule::best);
  const WhyNoMarks why = why_no_marks(*data, plot);
  EXPECT_THAT(why.text, StartsWith("No input shapes and no counters recorded."));
  EXPECT_THAT(why.text, HasSubstr("record_shapes=True"));
  EXPECT_THAT(why.command, StartsWith("ncu "));
}

TEST(WhyNoMarks, NamesMissingFlopCounters) {
  LimitRow row = unknown("a", 10);
  row.busy_math = {50, Origin::counted};
  row.busy_memory = {20, Origin::counted};
  const auto data = data_of({row});
  const auto plot = report::prepare_roofline(data->rows(), nullptr, report::LimitRule::best);
  EXPECT_THAT(why_no_marks(*data, plot).text,
              StartsWith("This file has throughput but no FLOP counters"));
}

TEST(WhyNoMarks, CountsReasons) {
  aggregate::OpWork einsum;
  einsum.kind = aggregate::WorkKind::gemm;
  einsum.why_unknown = "equation of einsum not recorded";
  LimitRow a = unknown("a", 10), b = unknown("b", 10);
  a.work = b.work = &einsum;
  const auto data = data_of({a, b, unknown("c", 10)});
  const auto plot = report::prepare_roofline(data->rows(), nullptr, report::LimitRule::best);
  EXPECT_THAT(why_no_marks(*data, plot).text,
              HasSubstr("2 rows: equation of einsum not recorded\n1 row: work unknown"));
}

TEST(WhyNoMarks, IsEmptyWithMarks) {
  const auto data = data_of({counted("gemm", 1000, 1e6, 1e5)});
  const auto plot = report::prepare_roofline(data->rows(), nullptr, report::LimitRule::best);
  EXPECT_EQ(why_no_marks(*data, plot), WhyNoMarks{});
  EXPECT_THAT(why_no_roofs(*data, plot), HasSubstr("are unknown"));
  const auto known = report::prepare_roofline(data->rows(), &peaks(), report::LimitRule::best);
  EXPECT_THAT(why_no_roofs(*data, known), IsEmpty());
}

TEST(LimitBadge, NamesTheDominantClass) {
  LimitBadge badge;
  badge.ns[static_cast<std::size_t>(Limit::math)] = 70;
  badge.ns[static_cast<std::size_t>(Limit::memory)] = 30;
  badge.ns[static_cast<std::size_t>(Limit::unknown)] = 1000;
  EXPECT_EQ(badge.limit(), Limit::math);  // 70% of what is known
  badge.ns[static_cast<std::size_t>(Limit::memory)] = 31;
  EXPECT_EQ(badge.limit(), std::nullopt);
  EXPECT_EQ(badge.word(), "mixed");
  EXPECT_EQ(LimitBadge{}.limit(), Limit::unknown);
}

TEST(LimitBadge, TakesTheRestAsUnknown) {
  LimitRow row = counted("gemm", 1000, 9e7, 1e5);  // 90 TFLOP/s
  row.known_ns = row.measured_ns = 600;
  const LimitBadge badge = badge_of(row);
  EXPECT_EQ(badge.ns[static_cast<std::size_t>(Limit::math)], 600);
  EXPECT_EQ(badge.ns[static_cast<std::size_t>(Limit::unknown)], 400);
  EXPECT_EQ(badge.origin, Origin::counted);
  EXPECT_THAT(badge.text(), HasSubstr("math 60.0%, unknown 40.0%"));
}

TEST(LimitEvidencePage, PutsNumbersIntoFormula) {
  aggregate::OpWork gemm;
  gemm.kind = aggregate::WorkKind::gemm;
  gemm.formula = "2MNK = 2 × 5185 × 1024 × 1024";
  gemm.assumptions = {"stride 1"};
  LimitRow row = limit_row("linear", 1'000'000, 1.087e10, 5.6e7, Origin::estimated, peaks());
  row.work = &gemm;
  const LimitEvidencePage page = prepare_evidence(*data_of({row}), 0, report::LimitRule::best);
  ASSERT_FALSE(page.facts.empty());
  EXPECT_EQ(page.facts[0].id, "flop");
  EXPECT_THAT(page.facts[0].value, StartsWith("≥ "));
  EXPECT_EQ(page.facts[0].source, "from shapes: 2MNK = 2 × 5185 × 1024 × 1024");
  EXPECT_EQ(page.facts[1].source, "from shapes: minimum traffic, every tensor once");
  EXPECT_THAT(page.notes, ElementsAre("Assumed: stride 1"));
  EXPECT_EQ(page.verdicts.size(), 4U);
}

TEST(LimitEvidencePage, SaysWhatKeepsTheSmBusy) {
  LimitRow row = counted("gemm", 1'000'000, 5e9, 1e8);
  row.busy_math = {88.9, Origin::counted};
  row.busy_memory = {0.83, Origin::counted};
  row.by_busy = Limit::math;
  const LimitEvidencePage page = prepare_evidence(*data_of({row}), 0, report::LimitRule::best);
  EXPECT_EQ(page.difference, "SM busy 88.9%, math 5.0%: the SM is busy with other instructions");
}

TEST(ShapesCsv, QuotesNames) {
  const auto data = data_of({counted("a \"b\", c", 1000, 1e6, 1e5)});
  const std::vector<uint32_t> rows{0};
  EXPECT_EQ(shapes_csv(*data, rows),
            "name,shape,type,calls,time_ns,flops,bytes,formula\n"
            "\"a \"\"b\"\", c\",\"\",FP16 Tensor,1,1000,1000000,100000,\"\"\n");
}

}  // namespace
}  // namespace dlview::ui
