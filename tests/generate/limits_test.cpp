// The run with planted work: what stands in its files is what its truth says.

#include "generate/limits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generate/planted_joins.h"
#include "generate/read_counters.h"
#include "import/open.h"
#include "support/file_contents.h"
#include "support/test_data.h"

namespace dlview::generate {
namespace {

using profile::KernelIndex;
using profile::Profile;
using testing::CsvLaunch;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class GeneratedLimits : public ::testing::Test {
 protected:
  LimitsTruth generate(LimitsOptions options) {
    if (options.counters_path.empty()) options.counters_path = counters();
    base::Progress progress;
    const auto truth = generate_limits(profile(), options, progress, IfExists::replace);
    EXPECT_TRUE(truth.ok()) << base::to_text(truth.error());
    return truth ? *truth : LimitsTruth();
  }
  Profile open() const {
    base::Progress progress;
    base::Result<Profile> result = import::open_profile(profile(), progress);
    EXPECT_TRUE(result.ok()) << base::to_text(result.error());
    return result ? std::move(*result) : Profile();
  }
  base::Error error_of(LimitsOptions options) const {
    options.counters_path = counters();
    base::Progress progress;
    const auto truth = generate_limits(profile(), options, progress, IfExists::replace);
    EXPECT_FALSE(truth.ok());
    return truth ? base::Error() : truth.error();
  }
  std::filesystem::path profile() const { return folder_.path() / "run"; }
  std::filesystem::path counters() const { return folder_.path() / "run.csv"; }

 private:
  testing::TemporaryFolder folder_;
};

TEST_F(GeneratedLimits, EqualOptionsGiveEqualFiles) {
  LimitsOptions options;
  options.format = LimitsFormat::pytorch;
  options.counters.page = CsvPage::raw;
  const std::string truth = to_json(generate(options));
  const std::string profile_text = testing::contents_of(profile()),
                    csv = testing::contents_of(counters());
  EXPECT_EQ(to_json(generate(options)), truth);
  EXPECT_EQ(testing::contents_of(profile()), profile_text);
  EXPECT_EQ(testing::contents_of(counters()), csv);
  options.seed = 2;
  EXPECT_NE(to_json(generate(options)), truth);
}

// The limiter that was planted is the one that the rates of shapes and counters say.
TEST_F(GeneratedLimits, RatesShowThePlantedLimiter) {
  // Its tensors fit in the L2 cache of an A100 and an H100, so shapes do not prove memory.
  constexpr std::string_view kInL2 = "/module/Net::forward/attention/bmm";
  for (const LimitsGpu gpu : {LimitsGpu::v100, LimitsGpu::a100, LimitsGpu::h100}) {
    LimitsOptions options;
    options.gpu = gpu;
    std::set<std::string> planted;
    for (const LimitsTruth::Op& op : generate(options).ops) {
      SCOPED_TRACE(op.name);
      const bool is_proven =
          op.planted != "neither" && (op.name != kInL2 || gpu == LimitsGpu::v100);
      EXPECT_EQ(op.by_flops_estimated, is_proven ? op.planted : "unknown");
      EXPECT_LT(op.math_percent, 100);
      EXPECT_LT(op.memory_percent, 100);
      planted.insert(op.planted);
    }
    EXPECT_EQ(planted.size(), 4u);
  }
}

TEST_F(GeneratedLimits, FormatsHoldTheSameKernels) {
  for (const LimitsFormat format :
       {LimitsFormat::nsys, LimitsFormat::dlprof, LimitsFormat::pytorch}) {
    LimitsOptions options;
    options.format = format;
    options.iterations = 3;
    const LimitsTruth truth = generate(options);
    const Profile profile = open();
    SCOPED_TRACE(static_cast<int>(format));
    ASSERT_EQ(profile.devices.size(), 1u);
    EXPECT_EQ(profile.devices[0].name, truth.gpu);
    std::map<std::string, std::pair<int64_t, int64_t>> by_name;  // kernels and their time
    for (const KernelIndex kernel : testing::by_start(profile)) {
      auto& [count, ns] = by_name[std::string(profile.text(profile.kernels.long_name[kernel]))];
      ++count;
      ns += profile.kernels.gpu_stop_ns[kernel] - profile.kernels.gpu_start_ns[kernel];
    }
    int64_t kernels = 2;  // before the first iteration
    std::map<std::string, std::pair<int64_t, int64_t>> expected;
    for (const LimitsTruth::Op& op : truth.ops) {
      kernels += op.kernels;
      expected[op.kernel].first += op.kernels;
      expected[op.kernel].second += op.time_ns;
    }
    EXPECT_EQ(static_cast<int64_t>(profile.kernels.size()), kernels);
    const std::string& warmed_up = truth.ops.front().kernel;
    for (const auto& [name, sums] : expected) {
      SCOPED_TRACE(name);
      EXPECT_EQ(by_name[name].first, sums.first + (name == warmed_up ? 2 : 0));
      if (name != warmed_up) {
        EXPECT_EQ(by_name[name].second, sums.second);
      }
    }
  }
}

// Of exports and databases by the op's name; in traces equal types of op are one.
TEST_F(GeneratedLimits, OpsHaveShapesAndTypes) {
  for (const LimitsFormat format : {LimitsFormat::nsys, LimitsFormat::dlprof}) {
    LimitsOptions options;
    options.format = format;
    const LimitsTruth truth = generate(options);
    const Profile profile = open();
    std::map<std::string, std::string> shapes;  // by name
    for (profile::InstanceIndex i{0}; i < profile.instances.size(); ++i) {
      shapes[std::string(profile.text(profile.ops.name[profile.instances.op[i]]))] =
          profile.text(profile.instances.input_shapes[i]);
    }
    for (const LimitsTruth::Op& op : truth.ops) {
      if (op.m == 0 || op.batch > 1) continue;
      EXPECT_THAT(shapes[op.name],
                  HasSubstr("[[" + std::to_string(op.m) + "," + std::to_string(op.k) + "],[" +
                            std::to_string(op.n) + "," + std::to_string(op.k) + "]]"))
          << op.name;
    }
  }
}

TEST_F(GeneratedLimits, GridsFitTheTiles) {
  const LimitsTruth truth = generate({});
  const Profile profile = open();
  std::map<std::string, std::set<int64_t>> blocks;  // by op
  for (const KernelIndex kernel : testing::by_start(profile)) {
    const profile::Dim3 grid = profile.launches.grid[profile.kernels.launch[kernel]];
    const auto op = profile.instances.op[profile.kernels.instance[kernel]];
    blocks[std::string(profile.text(profile.ops.name[op]))].insert(int64_t{grid.x} * grid.y *
                                                                   grid.z);
  }
  int gemms = 0, swizzled = 0;
  for (const LimitsTruth::Op& op : truth.ops) {
    if (op.m == 0) continue;
    ++gemms;
    ASSERT_EQ(blocks[op.name].size(), 1u) << op.name;
    EXPECT_GE(*blocks[op.name].begin(), op.tiles) << op.name;
    swizzled += *blocks[op.name].begin() != op.tiles ? 1 : 0;
    EXPECT_THAT(op.kernel, HasSubstr(std::to_string(op.tile_m) + "x" + std::to_string(op.tile_n)));
  }
  EXPECT_EQ(gemms, 7);
  EXPECT_EQ(swizzled, 1);
}

// Each page in each locale, with both kinds of units.
TEST_F(GeneratedLimits, PagesReadBackInEveryLocale) {
  for (int page = 0; page < 9; ++page) {
    for (int locale = 0; locale < 5; ++locale) {
      LimitsOptions options;
      options.iterations = 2;
      options.counters.page = static_cast<CsvPage>(page);
      options.counters.locale = static_cast<CsvLocale>(locale);
      options.counters.units = locale % 2 == 0 ? CsvUnits::base : CsvUnits::automatic;
      if (options.counters.page == CsvPage::per_nvtx) options.counters.nvtx = CsvNvtx::same;
      SCOPED_TRACE(testing::to_text(options));
      const LimitsTruth truth = generate(options);
      const std::vector<CsvLaunch> launches =
          testing::read_launches(counters(), options.counters.page);
      ASSERT_EQ(launches.size(), truth.launches.size());
      for (std::size_t i = 0; i < launches.size(); ++i) {
        const bool is_by_name =
            options.counters.page == CsvPage::raw || options.counters.page == CsvPage::metrics;
        const CsvLaunch::Metric* duration =
            launches[i].find(is_by_name ? "gpu__time_duration.sum" : "Duration");
        ASSERT_NE(duration, nullptr);
        const double ns = testing::number_of(duration->value, options.counters.locale) *
                          testing::base_factor(duration->unit);
        // Two decimals of a unit, and the mean of a summary.
        const auto expected = static_cast<double>(truth.launches[i].duration_ns);
        EXPECT_NEAR(ns, expected, expected * 0.03) << duration->value << duration->unit;
        EXPECT_EQ(launches[i].text("Kernel Name"), truth.launches[i].kernel);
      }
    }
  }
}

TEST_F(GeneratedLimits, CountsComeBackExactly) {
  for (const CsvPage page : {CsvPage::raw, CsvPage::metrics}) {
    LimitsOptions options;
    options.gpu = LimitsGpu::h100;
    options.counters.page = page;
    options.counters.locale = CsvLocale::en;
    options.counters.units = CsvUnits::base;
    const LimitsTruth truth = generate(options);
    const std::vector<CsvLaunch> launches = testing::read_launches(counters(), page);
    ASSERT_EQ(launches.size(), truth.launches.size());
    for (std::size_t i = 0; i < launches.size(); ++i) {
      const auto value = [&](const std::string& name) {
        const CsvLaunch::Metric* metric = launches[i].find(name);
        return metric == nullptr ? NAN : testing::number_of(metric->value, CsvLocale::en);
      };
      const std::string op = "sm__sass_thread_inst_executed_op_f";
      const double flops = value(op + "add_pred_on.sum") + value(op + "mul_pred_on.sum") +
                           2 * value(op + "fma_pred_on.sum") +
                           value("sm__ops_path_tensor_src_fp16_dst_fp32.sum");
      ASSERT_TRUE(truth.launches[i].flops);
      EXPECT_EQ(flops, static_cast<double>(*truth.launches[i].flops));
      EXPECT_EQ(value("dram__bytes_read.sum") + value("dram__bytes_write.sum"),
                static_cast<double>(truth.launches[i].dram_bytes));
    }
  }
}

TEST_F(GeneratedLimits, RuleAgreesWithThePercentages) {
  const std::map<std::string, std::string> kBeginnings{
      {"High Throughput", "The kernel is utilizing"},
      {"High Compute Throughput", "Compute is more heavily"},
      {"High Memory Throughput", "Memory is more heavily"},
      {"Balanced Throughput", "Compute and Memory are well"},
      {"Small Grid", "This kernel grid is too small"},
      {"Latency Issue", "This kernel exhibits low"}};
  LimitsOptions options;
  options.counters.page = CsvPage::details_rules;
  std::set<std::string> verdicts;
  const LimitsTruth truth = generate(options);
  const std::vector<CsvLaunch> launches = testing::read_launches(counters(), options.counters.page);
  ASSERT_EQ(launches.size(), truth.launches.size());
  for (std::size_t i = 0; i < launches.size(); ++i) {
    ASSERT_FALSE(launches[i].rules.empty());
    const std::string& rule = launches[i].rules.front();
    const std::string& verdict = truth.launches[i].speed_of_light;
    verdicts.insert(verdict);
    ASSERT_TRUE(kBeginnings.count(verdict) > 0) << verdict;
    EXPECT_THAT(rule, StartsWith(kBeginnings.at(verdict)));
  }
  EXPECT_GE(verdicts.size(), 4u);
}

TEST_F(GeneratedLimits, QuirksStandAroundTheTable) {
  LimitsOptions options;
  options.counters.quirks = {.utf16 = true, .crlf = true, .log = true, .header = true};
  const LimitsTruth truth = generate(options);
  const std::string bytes = testing::contents_of(counters());
  EXPECT_THAT(bytes, StartsWith("\xff\xfe"));
  const std::string text = testing::utf8_of(bytes);
  EXPECT_THAT(text, StartsWith("==PROF== Connected"));
  EXPECT_THAT(text, HasSubstr("==WARNING=="));
  EXPECT_THAT(text, HasSubstr("\r\n"));
  EXPECT_EQ(std::ranges::count(truth.launches, 0, &LimitsTruth::Launch::id), 2);
  EXPECT_EQ(testing::read_launches(counters(), CsvPage::details).size(), truth.launches.size());
}

// DLVIEW_SEED gives other settings.
TEST_F(GeneratedLimits, RowsJoinThePlantedKernels) {
  std::mt19937_64 dice(testing::seed_of_run());
  for (int round = 0; round < 20; ++round) {
    const LimitsOptions options = testing::random_limits(dice);
    SCOPED_TRACE(testing::to_text(options));
    const LimitsTruth truth = generate(options);
    testing::expect_joins(
        open(), testing::counters_of(testing::read_launches(counters(), options.counters.page)),
        truth);
    if (HasFailure()) return;
  }
}

TEST_F(GeneratedLimits, EveryKindOfJoinIsPlanted) {
  struct Case {
    const char* state;  // with level, and "in order"
    CountersOptions counters;
  };
  const Case cases[] = {
      {"joined 1 in order", {.names = CsvNames::mangled}},
      {"joined 2 in order", {.names = CsvNames::old_style}},
      {"joined 2", {.every = 3}},
      {"joined 3 in order", {.names = CsvNames::demangled}},
      {"joined 4 in order", {.names = CsvNames::new_style}},
      {"ambiguous 0", {.names = CsvNames::new_style}},
      {"none 0", {.names = CsvNames::function}},
      {"none 0", {.page = CsvPage::oldest}},
      {"none 0", {.nvtx = CsvNvtx::other}},
      {"joined 2 in order", {.nvtx = CsvNvtx::same}},
      {"joined 3 in order", {.names = CsvNames::new_style, .nvtx = CsvNvtx::rename}},
      {"joined 2", {.page = CsvPage::per_nvtx, .nvtx = CsvNvtx::same}},
      {"refused 2", {.gpu = CsvGpu::h100}},
  };
  for (const Case& planted : cases) {
    LimitsOptions options;
    options.iterations = 3;
    options.counters = planted.counters;
    SCOPED_TRACE(testing::to_text(options));
    std::set<std::string> seen;
    for (const LimitsTruth::Launch& launch : generate(options).launches) {
      seen.insert(launch.state + " " + std::to_string(launch.level) +
                  (launch.by_occurrence ? " in order" : ""));
    }
    EXPECT_THAT(seen, ::testing::Contains(planted.state));
  }
}

TEST_F(GeneratedLimits, TwoOfFiftyLaunchesShareTheMean) {
  LimitsOptions options;
  options.iterations = 25;
  options.counters.every = 14;
  const LimitsTruth truth = generate(options);
  bool found = false;
  for (const LimitsTruth::Launch& launch : truth.launches) {
    if (launch.profile_launches != 50) continue;
    found = true;
    EXPECT_FALSE(launch.by_occurrence);
    EXPECT_LT(launch.measured_launches, 50);
    EXPECT_EQ(launch.kernels.size(), 50u);
  }
  EXPECT_TRUE(found);
}

TEST_F(GeneratedLimits, RefusesOptionsThatExcludeEachOther) {
  LimitsOptions options;
  options.format = LimitsFormat::dlprof;
  options.counters.nvtx = CsvNvtx::same;
  EXPECT_EQ(error_of(options).title, "Invalid --ncu-nvtx");
  options = {};
  options.counters.page = CsvPage::per_nvtx;
  EXPECT_EQ(error_of(options).title, "Invalid --ncu-page");
  options = {};
  options.counters.page = CsvPage::per_gpu;
  options.counters.nvtx = CsvNvtx::other;
  EXPECT_EQ(error_of(options).title, "Invalid --ncu-nvtx");
  options = {};
  options.counters.page = CsvPage::oldest;
  options.counters.names = CsvNames::new_style;
  EXPECT_EQ(error_of(options).title, "Invalid --ncu-names");
  options = {};
  options.counters.quirks = {.utf16 = true, .bom = true};
  EXPECT_EQ(error_of(options).title, "Invalid --ncu-quirks");
  options = {};
  options.iterations = 0;
  EXPECT_EQ(error_of(options).title, "Invalid --iterations: 0");
  EXPECT_THAT(testing::contents_of(profile()), IsEmpty());
}

TEST(LargeCounters, HaveEveryLaunchAndMetric) {
  for (const CsvPage page : {CsvPage::raw, CsvPage::details}) {
    std::ostringstream out;
    write_large_counters(out, 30, 7, page);
    const std::string text = out.str();
    EXPECT_EQ(std::ranges::count(text, '\n'), page == CsvPage::raw ? 32 : 211);
  }
}

}  // namespace
}  // namespace dlview::generate
