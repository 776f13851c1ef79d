// The importer of Nsight Compute's CSV on the files of the planted run: each number is the one that
// a slow reader that knows page and locale finds, and each row joins the planted kernels.

#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/limits/counter_facts.h"
#include "aggregate/limits/gemm_tiles.h"
#include "aggregate/limits/limits.h"
#include "generate/limits.h"
#include "generate/planted_joins.h"
#include "generate/read_counters.h"
#include "import/ncu/read_counters.h"
#include "import/open.h"
#include "support/test_data.h"

namespace dlview::generate {
namespace {

using profile::KernelCounters;
using testing::CsvLaunch;
using ::testing::HasSubstr;

class ImportedLimits : public ::testing::Test {
 protected:
  LimitsTruth generate(LimitsOptions options) {
    options.counters_path = csv();
    base::Progress progress;
    const auto truth = generate_limits(profile(), options, progress, IfExists::replace);
    EXPECT_TRUE(truth.ok()) << base::to_text(truth.error());
    return truth ? *truth : LimitsTruth();
  }
  KernelCounters read() const {
    base::Progress progress;
    const std::vector<std::filesystem::path> files{csv()};
    auto counters = import::ncu::read_counters(files, progress);
    EXPECT_TRUE(counters.ok()) << base::to_text(counters.error());
    return counters ? std::move(*counters) : KernelCounters();
  }
  std::filesystem::path profile() const { return folder_.path() / "run"; }
  std::filesystem::path csv() const { return folder_.path() / "run.csv"; }

 private:
  testing::TemporaryFolder folder_;
};

// "n/a" and "no data" are not in the counters; texts have no number. A metric that stands in
// several charts is one.
void expect_same_values(const KernelCounters& counters, std::size_t row, const CsvLaunch& launch,
                        CsvLocale locale) {
  std::size_t at = counters.launches[row].first_value;
  std::set<std::string> known;
  for (const CsvLaunch::Metric& metric : launch.metrics) {
    if (metric.value == "n/a" || metric.value == "no data") continue;
    if (!known.insert(metric.section + '\n' + metric.name + '\n' + metric.unit).second) continue;
    ASSERT_LT(at, counters.end_of_values(row));
    const profile::CounterValue& value = counters.values[at++];
    EXPECT_EQ(counters.metrics[value.metric].name, metric.name);
    if (value.text != 0) {
      EXPECT_EQ(counters.text(value.text), metric.value);
      continue;
    }
    const double expected =
        testing::number_of(metric.value, locale) * testing::base_factor(metric.unit);
    EXPECT_NEAR(value.value, expected, std::abs(expected) * 1e-12)
        << metric.name << " " << metric.value << " " << metric.unit;
  }
  EXPECT_EQ(at, counters.end_of_values(row));
}

TEST_F(ImportedLimits, NumbersAndJoinsAreThePlantedOnes) {
  std::mt19937_64 dice(testing::seed_of_run());
  for (int round = 0; round < 20; ++round) {
    const LimitsOptions options = testing::random_limits(dice);
    SCOPED_TRACE(testing::to_text(options));
    const LimitsTruth truth = generate(options);
    if (truth.launches.empty()) continue;
    const KernelCounters counters = read();
    const std::vector<CsvLaunch> launches = testing::read_launches(csv(), options.counters.page);
    ASSERT_EQ(counters.launches.size(), launches.size());
    for (std::size_t row = 0; row < launches.size(); ++row) {
      EXPECT_EQ(counters.text(counters.launches[row].kernel), launches[row].text("Kernel Name"));
      // Few values decide the style of a file of few launches.
      if (!counters.files[0].is_style_assumed) {
        expect_same_values(counters, row, launches[row], options.counters.locale);
      }
      if (HasFailure()) return;
    }
    base::Progress progress;
    const auto profile = import::open_profile(this->profile(), progress);
    ASSERT_TRUE(profile.ok()) << base::to_text(profile.error());
    testing::expect_joins(*profile, counters, truth);
    if (HasFailure()) return;
  }
}

// What figures are worth: FLOP and bytes are exact, percentages as the page rounds them.
TEST_F(ImportedLimits, FactsAreThePlantedFigures) {
  for (const LimitsGpu gpu : {LimitsGpu::a100, LimitsGpu::h100}) {
    for (const CsvPage page : {CsvPage::raw, CsvPage::metrics, CsvPage::details_rules}) {
      LimitsOptions options;
      options.gpu = gpu;
      options.counters.page = page;
      options.counters.units = CsvUnits::base;
      options.counters.locale = CsvLocale::de;
      SCOPED_TRACE(testing::to_text(options));
      const LimitsTruth truth = generate(options);
      const KernelCounters counters = read();
      const std::vector<aggregate::CounterFacts> facts = aggregate::facts_of(counters);
      ASSERT_EQ(facts.size(), truth.launches.size());
      for (std::size_t i = 0; i < facts.size(); ++i) {
        const LimitsTruth::Launch& planted = truth.launches[i];
        SCOPED_TRACE(planted.kernel);
        EXPECT_EQ(facts[i].duration_ns, static_cast<double>(planted.duration_ns));
        EXPECT_NEAR(facts[i].compute_percent.value_or(-1), planted.compute_percent, 0.006);
        EXPECT_NEAR(facts[i].dram_percent.value_or(-1), planted.dram_percent, 0.006);
        if (page == CsvPage::details_rules) {
          EXPECT_EQ(aggregate::to_text(facts[i].speed_of_light), planted.speed_of_light);
          EXPECT_FALSE(facts[i].rule.empty());
          EXPECT_NEAR(facts[i].waves.value_or(-1), planted.waves, 0.006);
          continue;
        }
        EXPECT_EQ(facts[i].dram_bytes, static_cast<double>(planted.dram_bytes));
        // Without a count of Tensor Cores the rest is no FLOP of the kernel.
        if (planted.flops) {
          EXPECT_EQ(facts[i].flops, static_cast<double>(*planted.flops));
        } else {
          EXPECT_FALSE(facts[i].flops) << *facts[i].flops;
        }
        if (HasFailure()) return;
      }
    }
  }
}

// Of the whole run, by op and shape.
std::vector<aggregate::LimitRow> limits_of(const std::shared_ptr<const profile::Profile>& profile,
                                           const aggregate::LimitIndex& index) {
  const auto aggregator = aggregate::make_cpu_aggregator(profile);
  return index.rows(aggregator->aggregate({{}, {0, 0}, {}}), aggregate::LimitsBy::shape);
}

// The rows of the op: an export has one for each call of an iteration.
std::vector<const aggregate::LimitRow*> rows_of(const std::vector<aggregate::LimitRow>& rows,
                                                const LimitsTruth::Op& op) {
  std::vector<const aggregate::LimitRow*> found;
  for (const aggregate::LimitRow& row : rows) {
    if (row.time_ns == op.time_ns && row.calls == op.calls) return {&row};
    // Ops of one name have their ids behind it.
    if (row.name == op.name || row.name.starts_with(op.name + " (")) found.push_back(&row);
  }
  return found;
}

TEST_F(ImportedLimits, WorkAndClassFollowFromShapes) {
  for (const LimitsFormat format :
       {LimitsFormat::nsys, LimitsFormat::dlprof, LimitsFormat::pytorch}) {
    for (const LimitsGpu gpu : {LimitsGpu::v100, LimitsGpu::a100, LimitsGpu::h100}) {
      LimitsOptions options;
      options.format = format;
      options.gpu = gpu;
      options.iterations = 3;
      SCOPED_TRACE(testing::to_text(options));
      const LimitsTruth truth = generate(options);
      base::Progress progress;
      auto opened = import::open_profile(profile(), progress);
      ASSERT_TRUE(opened.ok()) << base::to_text(opened.error());
      const auto profile = std::make_shared<const profile::Profile>(std::move(*opened));
      const aggregate::LimitIndex index(*profile);
      const std::vector<aggregate::LimitRow> rows = limits_of(profile, index);
      std::size_t found = 0;
      for (const LimitsTruth::Op& op : truth.ops) {
        SCOPED_TRACE(op.name);
        const auto of_op = rows_of(rows, op);
        if (of_op.empty()) continue;  // ops of one name are one op of a trace
        ++found;
        int64_t time_ns = 0;
        double flops = 0, bytes = 0;
        for (const aggregate::LimitRow* each : of_op) {
          time_ns += each->time_ns;
          flops += each->flops.value.value_or(0);
          bytes += each->bytes.value.value_or(0);
        }
        EXPECT_EQ(time_ns, op.time_ns);
        if (!op.flops_exact) continue;
        EXPECT_EQ(flops, static_cast<double>(op.flops * op.calls));
        EXPECT_EQ(bytes, static_cast<double>(op.bytes * op.calls));
        if (of_op.size() > 1) continue;
        const aggregate::LimitRow* row = of_op.front();
        EXPECT_NEAR(row->math.percent.value_or(-1), op.math_percent, 0.01);
        EXPECT_NEAR(row->memory.percent.value_or(-1), op.memory_percent, 0.01);
        EXPECT_EQ(aggregate::to_text(row->by_flops), op.by_flops_estimated);
        EXPECT_EQ(aggregate::to_text(row->by_intensity), op.by_intensity);
      }
      EXPECT_GE(found, format == LimitsFormat::pytorch ? 4 : truth.ops.size());
    }
  }
}

TEST_F(ImportedLimits, TilesAndWavesAreThePlantedOnes) {
  const LimitsTruth truth = generate({});
  base::Progress progress;
  const auto opened = import::open_profile(profile(), progress);
  ASSERT_TRUE(opened.ok()) << base::to_text(opened.error());
  std::map<std::string_view, profile::Dim3> grids;  // by op
  for (profile::KernelIndex kernel{0}; kernel < opened->kernels.size(); ++kernel) {
    const auto op = opened->instances.op[opened->kernels.instance[kernel]];
    grids[opened->text(opened->ops.name[op])] =
        opened->launches.grid[opened->kernels.launch[kernel]];
  }
  int gemms = 0;
  for (const LimitsTruth::Op& op : truth.ops) {
    if (op.m == 0) continue;
    SCOPED_TRACE(op.name);
    const auto tiling =
        aggregate::tiling_of(op.kernel, {op.m, op.n, op.k, op.batch}, grids[op.name], 108,
                             static_cast<double>(op.blocks_per_sm));
    ASSERT_TRUE(tiling);
    EXPECT_EQ(tiling->tile, (aggregate::Tile{op.tile_m, op.tile_n}));
    EXPECT_EQ(tiling->tiles, op.tiles);
    EXPECT_NEAR(tiling->waves, op.waves, 1e-9);
    EXPECT_NEAR(tiling->tile_efficiency_percent, op.tile_efficiency_percent, 1e-9);
    ++gemms;
  }
  EXPECT_EQ(gemms, 7);
}

TEST_F(ImportedLimits, MessagesOfTheLogAreKept) {
  LimitsOptions options;
  options.counters.quirks = {.log = true, .header = true};
  generate(options);
  const KernelCounters counters = read();
  ASSERT_EQ(counters.files.size(), 1u);
  ASSERT_FALSE(counters.files[0].messages.empty());
  EXPECT_THAT(counters.files[0].messages[0].text, HasSubstr("may serialize them"));
  EXPECT_EQ(counters.files[0].messages[0].line, 4);
}

TEST_F(ImportedLimits, FileWithoutLaunchesSaysWhy) {
  LimitsOptions options;
  options.counters.first = 0;
  options.counters.quirks.log = true;
  EXPECT_TRUE(generate(options).launches.empty());
  const KernelCounters counters = read();
  EXPECT_TRUE(counters.launches.empty());
  EXPECT_FALSE(counters.files.at(0).why_empty.empty());
}

}  // namespace
}  // namespace dlview::generate
