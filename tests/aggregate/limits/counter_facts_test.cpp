// Figures of measured launches, against the test data and by hand.
#include "aggregate/limits/counter_facts.h"

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/limits/expected_figures.h"
#include "base/progress.h"
#include "import/ncu/read_counters.h"
#include "profile/string_table.h"
#include "support/test_data.h"

namespace dlview::aggregate {
namespace {

using nlohmann::json;
using ::testing::StartsWith;

std::vector<CounterFacts> facts_of_sample(const std::string& name) {
  const std::filesystem::path path = *testing::test_data_folder() / "ncu" / name;
  base::Progress progress;
  const auto counters = import::ncu::read_counters(std::span(&path, 1), progress);
  return counters ? facts_of(*counters) : std::vector<CounterFacts>();
}

// Compares figures, and counts those that there are.
class Checker {
 public:
  void near(const std::optional<double>& found, const std::optional<double>& expected,
            const std::string& what) {
    if (!expected) return;
    ++checked_;
    ASSERT_TRUE(found) << what;
    EXPECT_NEAR(*found, *expected, testing::kFigureTolerance * *expected) << what;
  }
  int checked() const { return checked_; }

 private:
  int checked_ = 0;
};

std::optional<double> ratio(const std::optional<double>& one, const std::optional<double>& two) {
  return one && two ? std::optional(*one / *two) : std::nullopt;
}

struct Measured {
  std::string name, unit;
  double value = 0;
};

CounterFacts facts_of_values(const std::vector<Measured>& values, std::string_view kernel = "k") {
  profile::KernelCounters counters;
  counters.files.emplace_back();
  profile::StringTableBuilder texts;
  counters.launches.emplace_back().kernel = texts.intern(kernel);
  counters.strings = std::move(texts).finish();
  for (const Measured& measured : values) {
    const auto metric = static_cast<profile::Row>(counters.metrics.size());
    counters.metrics.push_back({"", measured.name, measured.unit});
    profile::CounterValue value;
    value.metric = metric;
    value.value = measured.value;
    counters.values.push_back(value);
  }
  return facts_of(counters)[0];
}

TEST(CounterFacts, MatchExpectedFigures) {
  DLVIEW_REQUIRE_TEST_DATA();
  Checker percent, figure, rate;
  int rules = 0, rooflines = 0;
  for (const json& figures : testing::expected_figures("ncu")) {
    const std::string id = figures["id"];
    const auto all = facts_of_sample(figures["file"]);
    ASSERT_EQ(all.size(), 1U) << id;
    const CounterFacts& facts = all[0];
    const auto number = [&](std::string_view key) { return testing::number_or_none(figures, key); };
    percent.near(facts.compute_percent, number("compute_pct"), id + " compute");
    percent.near(facts.memory_percent, number("memory_pct"), id + " memory");
    percent.near(facts.dram_percent, number("dram_pct"), id + " dram");
    EXPECT_EQ(facts.memory_percent.has_value(), number("memory_pct").has_value()) << id;
    EXPECT_EQ(facts.waves.has_value(), number("waves").has_value()) << id;
    figure.near(facts.waves, number("waves"), id + " waves");
    percent.near(facts.occupancy_percent, number("achieved_occupancy_pct"), id + " occupancy");
    figure.near(facts.duration_ns, number("duration_ns"), id + " duration");
    EXPECT_EQ(to_text(facts.speed_of_light), figures["expected_sol_rule"].get<std::string>()) << id;
    if (figures.contains("roofline")) {
      ++rooflines;
      const json& roofline = figures["roofline"];
      const auto of_roofline = [&](std::string_view key) {
        return testing::number_or_none(roofline, key);
      };
      figure.near(facts.dram_bytes, of_roofline("bytes"), id + " bytes");
      figure.near(facts.duration_ns, of_roofline("duration_ns"), id);
      rate.near(ratio(facts.dram_bytes, facts.duration_ns), of_roofline("achieved_gbps"), id);
      // FLOP of most are those of the problem, not of the file.
      EXPECT_FALSE(facts.flops) << id;
      const auto flops = of_roofline("flops");
      rate.near(ratio(flops, facts.dram_bytes), of_roofline("intensity"), id + " intensity");
      const std::string side = roofline["class_by_intensity"];
      EXPECT_EQ(to_text(limit_by_intensity(flops, facts.dram_bytes, of_roofline("ridge"))),
                side == "no flops" ? "no FLOP" : side)
          << id;
    }
    if (figures.contains("ncu_rule_in_file")) {
      ++rules;
      EXPECT_THAT(facts.rule, StartsWith(figures["ncu_rule_in_file"].get<std::string>())) << id;
    }
    if (const auto tensor = number("tensor_flops_counted")) {
      figure.near(facts.tensor_flops, tensor, id + " tensor");
      figure.near(facts.flops, tensor, id + " FLOP");
      const auto tflops = ratio(facts.flops, facts.duration_ns);
      rate.near(tflops ? std::optional(*tflops / 1000) : tflops, number("achieved_tflops"), id);
    }
  }
  EXPECT_EQ(percent.checked(), 22);
  EXPECT_EQ(figure.checked(), 18);
  EXPECT_EQ(rate.checked(), 13);
  EXPECT_EQ(rules, 3);
  EXPECT_EQ(rooflines, 6);
}

TEST(CounterFacts, RatesGiveBytes) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto all = facts_of_sample("t4_details_rules_copy_blocked.csv");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_NEAR(*all[0].dram_bytes / *all[0].duration_ns, 196.456, 0.001);
  EXPECT_EQ(all[0].occupancy_limit, "warps");
  EXPECT_EQ(all[0].registers, 32);
}

TEST(CounterFacts, RawPageAndLabelsAgree) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto raw = facts_of_sample("gh200_raw_auto_C.csv");
  const auto labels = facts_of_sample("gh200_details_C.csv");
  ASSERT_EQ(raw.size(), 1U);
  ASSERT_EQ(labels.size(), 1U);
  EXPECT_NEAR(*raw[0].compute_percent, *labels[0].compute_percent, 0.005);
  EXPECT_NEAR(*raw[0].l1_percent, *labels[0].l1_percent, 0.005);
  EXPECT_NEAR(*raw[0].l2_percent, *labels[0].l2_percent, 0.005);
  EXPECT_EQ(raw[0].occupancy_limit, labels[0].occupancy_limit);
  EXPECT_EQ(raw[0].sm_count, labels[0].sm_count);
  EXPECT_EQ(raw[0].device_name, "NVIDIA GH200 480GB");
}

TEST(CounterFacts, RooflinePageHasPeaks) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto all = facts_of_sample("rtx5090_section_roofline_dsocr_k0005.csv");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_NEAR(*all[0].peak_fp32_flops, 43520 * 2.01e9, 1e6);
  EXPECT_NEAR(*all[0].peak_dram_bandwidth, 128 * 13.78e9, 1e6);
}

TEST(CounterFacts, CountsFlopOfEachPrecision) {
  const auto instructions = [](char letter) {
    const std::string name = "smsp__sass_thread_inst_executed_op_";
    return std::vector<Measured>{{name + letter + "add_pred_on.sum", "inst", 10},
                                 {name + letter + "mul_pred_on.sum", "inst", 20},
                                 {name + letter + "fma_pred_on.sum", "inst", 30}};
  };
  EXPECT_EQ(facts_of_values(instructions('f')).flops, 90);
  EXPECT_EQ(facts_of_values(instructions('f')).type, MathType::fp32);
  EXPECT_EQ(facts_of_values(instructions('d')).type, MathType::fp64);
  EXPECT_EQ(facts_of_values(instructions('h')).flops, 180);
  EXPECT_EQ(facts_of_values(instructions('h')).type, MathType::fp16);
}

TEST(CounterFacts, MissingInstructionsLeaveFlopUnknown) {
  EXPECT_FALSE(
      facts_of_values({{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "inst", 30}}).flops);
}

TEST(CounterFacts, RatesPerCycleGiveFlop) {
  const std::string name = "smsp__sass_thread_inst_executed_op_";
  const CounterFacts facts =
      facts_of_values({{name + "fadd_pred_on.sum.per_cycle_elapsed", "inst/cycle", 1},
                       {name + "fmul_pred_on.sum.per_cycle_elapsed", "inst/cycle", 2},
                       {name + "ffma_pred_on.sum.per_cycle_elapsed", "inst/cycle", 3},
                       {"smsp__cycles_elapsed.avg.per_second", "Hz", 1e9},
                       {"gpu__time_duration.sum", "ns", 1000}});
  EXPECT_DOUBLE_EQ(*facts.flops, 9000);
}

TEST(CounterFacts, TensorWorkHasType) {
  const CounterFacts facts =
      facts_of_values({{"sm__ops_path_tensor_src_bf16_dst_fp32.sum", "", 1000},
                       {"sm__ops_path_tensor_src_int8_dst_int32.sum", "", 10}});
  EXPECT_EQ(facts.tensor_flops, 1010);
  EXPECT_EQ(facts.flops, 1010);
  EXPECT_EQ(facts.type, MathType::bf16_tensor);
  // No work on Tensor Cores says nothing of other work.
  EXPECT_FALSE(facts_of_values({{"sm__ops_path_tensor_src_bf16_dst_fp32.sum", "", 0}}).flops);
}

// Instructions that the counters of FLOP do not count: wgmma.
TEST(CounterFacts, UncountedTensorWorkIsUnknown) {
  const std::string tensor = "sm__ops_path_tensor_src_fp16_dst_fp32.sum";
  const std::string busy = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active";
  const CounterFacts zero =
      facts_of_values({{"flop_count_sp.sum", "", 50}, {tensor, "", 0}, {busy, "%", 61}});
  EXPECT_FALSE(zero.flops);
  EXPECT_FALSE(zero.tensor_flops);
  EXPECT_FALSE(zero.type);
  const std::string gemm = "sm90_xmma_fprop_implicit_gemm_f16f16_f16f32";
  EXPECT_FALSE(facts_of_values({{"flop_count_sp.sum", "", 50}}, gemm).flops);
  EXPECT_FALSE(facts_of_values({{"flop_count_sp.sum", "", 50}, {tensor, "", 0}}, gemm).flops);
  EXPECT_EQ(facts_of_values({{"flop_count_sp.sum", "", 50}, {tensor, "", 7}}, gemm).flops, 57);
  EXPECT_EQ(facts_of_values({{"flop_count_sp.sum", "", 50}, {tensor, "", 0}}).flops, 50);
}

TEST(CounterFacts, NamesWithInstructionsCount) {
  const CounterFacts facts =
      facts_of_values({{"flop_count_sp.sum", "", 50},
                       {"sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32.sum", "", 1000}});
  EXPECT_EQ(facts.tensor_flops, 1000);
  EXPECT_EQ(facts.type, MathType::fp16_tensor);
  EXPECT_EQ(facts.flops, 1050);
}

// Counters of dense and sparse work are parts of the one without either in its name.
TEST(CounterFacts, PartsOfTensorWorkCountOnce) {
  const std::string plain = "sm__ops_path_tensor_src_fp16_dst_fp32";
  const std::string with_op = "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32";
  std::vector<Measured> values{{plain + "_sparsity_off.sum", "", 60},
                               {plain + "_sparsity_on.sum", "", 4}};
  EXPECT_EQ(facts_of_values(values).tensor_flops, 64);
  values.push_back({with_op + ".sum", "", 64});
  EXPECT_EQ(facts_of_values(values).tensor_flops, 64);
  values.push_back({plain + ".sum", "", 64});
  values.push_back({"sm__ops_path_tensor_src_bf16_dst_fp32_sparsity_off.sum", "", 10});
  values.push_back({"sm__ops_path_tensor_op_hmma.sum", "", 74});
  EXPECT_EQ(facts_of_values(values).tensor_flops, 74);
}

TEST(CounterFacts, BusyTensorPipeHidesWork) {
  std::vector<Measured> values{
      {"flop_count_sp.sum", "", 50},
      {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "%", 61}};
  EXPECT_FALSE(facts_of_values(values).flops);
  values[1].value = 1;
  EXPECT_EQ(facts_of_values(values).flops, 50);
}

TEST(CounterFacts, AcceptsLabelsWithNames) {
  const CounterFacts facts =
      facts_of_values({{"DRAM Frequency (dram__cycles_elapsed.avg.per_second)", "Hz", 5},
                       {"SOL SM", "%", 7},
                       {"SOL FB", "%", 8}});
  EXPECT_EQ(facts.dram_clock_hz, 5);
  EXPECT_EQ(facts.compute_percent, 7);
  EXPECT_EQ(facts.dram_percent, 8);
}

TEST(CounterFacts, NamesPercentagesAbove100) {
  const CounterFacts facts =
      facts_of_values({{"L2 Hit Rate", "%", 100.39}, {"Duration", "ns", 500}});
  EXPECT_EQ(facts.above_100, std::vector<std::string>{"L2 Hit Rate"});
}

TEST(CounterFacts, NewNamesOfDramBytes) {
  const CounterFacts facts =
      facts_of_values({{"dram__bytes_op_read.sum", "B", 3}, {"dram__bytes_op_write.sum", "B", 4}});
  EXPECT_EQ(facts.dram_read_bytes, 3);
  EXPECT_EQ(facts.dram_bytes, 7);
}

}  // namespace
}  // namespace dlview::aggregate
