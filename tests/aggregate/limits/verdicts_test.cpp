// The four rules, with the figures of real captures and of worked examples.

#include "aggregate/limits/verdicts.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/limits/expected_figures.h"

namespace dlview::aggregate {
namespace {

using nlohmann::json;
using testing::expected_figures;
using testing::kFigureTolerance;
using testing::number_or_none;

constexpr LimitThresholds kThresholds;

Share counted(std::optional<double> percent) {
  return {percent, percent ? Origin::counted : Origin::none};
}
Share estimated(double percent) {
  return {percent, Origin::estimated};
}

// As the figures name it.
std::string name_of(Limit limit) {
  return limit == Limit::no_flop ? "no flops" : std::string(to_text(limit));
}

TEST(Verdicts, UtilizationReproducesTheQuadrants) {
  DLVIEW_REQUIRE_TEST_DATA();
  for (const json& entry : expected_figures("seed")) {
    if (!entry.contains("cases")) continue;
    for (const json& figures : entry["cases"]) {
      EXPECT_EQ(
          name_of(limit_by_shares(counted(number_or_none(figures, "compute_pct")),
                                  counted(number_or_none(figures, "memory_pct")), kThresholds)),
          figures["expected"].get<std::string>())
          << figures;
    }
  }
}

TEST(Verdicts, EstimateProvesWhatItReaches) {
  EXPECT_EQ(limit_by_shares(estimated(71), estimated(20), kThresholds), Limit::math);
  EXPECT_EQ(limit_by_shares(counted(20), estimated(71), kThresholds), Limit::memory);
  EXPECT_EQ(limit_by_shares(estimated(71), estimated(70), kThresholds), Limit::both);
}

TEST(Verdicts, EstimateBelowThresholdProvesNothing) {
  EXPECT_EQ(limit_by_shares(estimated(69), counted(20), kThresholds), Limit::unknown);
  EXPECT_EQ(limit_by_shares(counted(20), estimated(69), kThresholds), Limit::unknown);
  EXPECT_EQ(limit_by_shares(counted(20), counted(69), kThresholds), Limit::neither);
}

// Of an estimate that may be too high only the sure part proves something.
TEST(Verdicts, EstimateThatMayBeHighProvesItsSurePart) {
  const auto of = [](double percent, double sure) {
    return Share{percent, Origin::estimated, sure};
  };
  EXPECT_EQ(limit_by_shares(of(95, 40), counted(20), kThresholds), Limit::unknown);
  EXPECT_EQ(limit_by_shares(of(95, 70), counted(20), kThresholds), Limit::math);
  EXPECT_FALSE(is_near(of(72, 40), counted(20), kThresholds));
  EXPECT_FALSE(of(95, 40).is_lower_bound());
  EXPECT_TRUE(estimated(95).is_lower_bound());
}

TEST(Verdicts, MissingShareIsUnknown) {
  EXPECT_EQ(limit_by_shares(counted(95), Share(), kThresholds), Limit::unknown);
  EXPECT_EQ(limit_by_shares(Share(), counted(95), kThresholds), Limit::unknown);
}

TEST(Verdicts, ThresholdIsEditable) {
  LimitThresholds half;
  half.utilization_percent = 50;
  EXPECT_EQ(limit_by_shares(counted(55), counted(20), half), Limit::math);
  EXPECT_EQ(limit_by_shares(counted(55), counted(20), kThresholds), Limit::neither);
}

TEST(Verdicts, NearMeansWithinFivePoints) {
  EXPECT_TRUE(is_near(counted(65), counted(20), kThresholds));
  EXPECT_TRUE(is_near(counted(20), counted(75), kThresholds));
  EXPECT_FALSE(is_near(counted(64.9), counted(75.1), kThresholds));
  EXPECT_FALSE(is_near(Share(), Share(), kThresholds));
}

TEST(Verdicts, IntensityComparesWithTheRidge) {
  EXPECT_EQ(limit_by_intensity(200, 1, 100), Limit::math);
  EXPECT_EQ(limit_by_intensity(50, 1, 100), Limit::memory);
  EXPECT_EQ(limit_by_intensity(0, 1, 100), Limit::no_flop);
  EXPECT_EQ(limit_by_intensity(0, std::nullopt, std::nullopt), Limit::no_flop);
  EXPECT_EQ(limit_by_intensity(50, 0, 100), Limit::unknown);
  EXPECT_EQ(limit_by_intensity(std::nullopt, 1, 100), Limit::unknown);
  EXPECT_EQ(limit_by_intensity(50, 1, std::nullopt), Limit::unknown);
}

TEST(Verdicts, SpeedOfLightHasSevenAnswers) {
  const auto say = [](double compute, double memory, std::optional<double> waves = 2) {
    return speed_of_light(compute, memory, waves, kThresholds);
  };
  EXPECT_EQ(say(80, 10), SpeedOfLight::high_throughput);
  EXPECT_EQ(say(79.9, 69.9), SpeedOfLight::high_compute);
  EXPECT_EQ(say(50, 61), SpeedOfLight::high_memory);
  EXPECT_EQ(say(62, 71.9), SpeedOfLight::balanced);
  EXPECT_EQ(say(59.9, 59.9), SpeedOfLight::latency);
  EXPECT_EQ(say(59.9, 59.9, 0.9), SpeedOfLight::small_grid);
  EXPECT_EQ(say(59.9, 59.9, std::nullopt), SpeedOfLight::small_grid_or_latency);
  EXPECT_EQ(speed_of_light(std::nullopt, 90, 2, kThresholds), SpeedOfLight::unknown);
  EXPECT_EQ(speed_of_light(90, std::nullopt, 2, kThresholds), SpeedOfLight::unknown);
}

// Kernels of RTX 5070 (profiled), and ops of PyTorch traces on H100, B200 and V100.
TEST(Verdicts, RealKernelsHaveTheirRoofs) {
  DLVIEW_REQUIRE_TEST_DATA();
  int checked = 0;
  const auto check = [&](const std::string& id, const json& figures, bool is_estimate) {
    const double flops = figures["flops"], bytes = figures["bytes"], time = figures["duration_ns"];
    const double peak_flops = double{figures["peak_tflops"]} * 1e12;
    const double peak_bytes = double{figures["peak_gbps"]} * 1e9;
    const auto roof = roof_of(flops, bytes, time, peak_flops, peak_bytes);
    ASSERT_TRUE(roof) << id;
    const auto near = [&](double value, const char* key) {
      const double expected = figures[key];
      EXPECT_NEAR(value, expected, std::abs(expected) * 3e-4 + 1e-12) << id << " " << key;
    };
    near(roof->time_ns, "roof_time_ns");
    near(roof->percent, "pct_of_roof");
    EXPECT_EQ(roof->is_math, figures["roof_side"] == "math") << id;
    const double math = 100 * flops / time * 1e9 / peak_flops;
    const double memory = 100 * bytes / time * 1e9 / peak_bytes;
    near(math, "pct_of_math_peak");
    near(memory, "pct_of_bandwidth_peak");
    EXPECT_EQ(name_of(limit_by_intensity(flops, bytes, peak_flops / peak_bytes)),
              figures["class_by_intensity"].get<std::string>())
        << id;
    // FLOP are from shapes in all of them; bytes are counted in those of Nsight Compute.
    const Share bytes_share = is_estimate ? estimated(memory) : counted(memory);
    EXPECT_EQ(name_of(limit_by_shares(estimated(math), bytes_share, kThresholds)),
              figures["class_u_flops"].get<std::string>())
        << id;
    ++checked;
  };
  for (const json& kernel : expected_figures("ncu")) {
    const std::string id = kernel["id"];
    if (kernel.contains("roofline")) {
      check(id, kernel["roofline"], false);
      const double busy_memory = kernel["roofline"]["pct_of_bandwidth_peak"];
      EXPECT_EQ(name_of(limit_by_shares(counted(number_or_none(kernel, "compute_pct")),
                                        counted(busy_memory), kThresholds)),
                kernel["class_u_busy"].get<std::string>())
          << id;
    } else {
      EXPECT_EQ(name_of(limit_by_shares(counted(number_or_none(kernel, "compute_pct")),
                                        counted(number_or_none(kernel, "dram_pct")), kThresholds)),
                kernel["class_u_busy"].get<std::string>())
          << id;
    }
    EXPECT_EQ(to_text(speed_of_light(number_or_none(kernel, "compute_pct"),
                                     number_or_none(kernel, "memory_pct"),
                                     number_or_none(kernel, "waves"), kThresholds)),
              kernel["expected_sol_rule"].get<std::string>())
        << id;
  }
  for (const json& op : expected_figures("kineto_ops")) check(op["id"], op, true);
  EXPECT_EQ(checked, 12);
}

TEST(Verdicts, RoofNeedsWhatItDividesBy) {
  EXPECT_FALSE(roof_of(1, 1, 0, 1, 1));
  EXPECT_FALSE(roof_of(1, 1, 1, std::nullopt, 1));
  EXPECT_FALSE(roof_of(1, 1, 1, 1, std::nullopt));
  EXPECT_FALSE(roof_of(std::nullopt, 1, 1, 1, 1));
  EXPECT_FALSE(roof_of(1, std::nullopt, 1, 1, 1));
  // A copy needs no peak of math.
  const auto copy = roof_of(0, 50, 1e9, std::nullopt, 100);
  ASSERT_TRUE(copy);
  EXPECT_DOUBLE_EQ(copy->percent, 50);
  EXPECT_FALSE(copy->is_math);
}

}  // namespace
}  // namespace dlview::aggregate
