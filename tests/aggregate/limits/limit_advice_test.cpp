// Advice, findings and Tensor Core headroom: planted problems are found with what they cost, and
// near misses stay silent. Work follows from shapes: 4096 x 4096 x 4096 are 137 GFLOP.

#include "aggregate/limits/limit_advice.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/findings.h"
#include "aggregate/limits/counted_run.h"
#include "aggregate/limits/headroom.h"
#include "aggregate/limits/residency.h"
#include "import/pytorch/event_sketch.h"

namespace dlview::aggregate {
namespace {

using testing::CountedRun;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kSquare = "[[4096,4096],[4096,4096]]";
constexpr double kSquareFlop = 2.0 * 4096 * 4096 * 4096;
constexpr int64_t kMillisecondNs = 1'000'000;

struct Advised {
  std::shared_ptr<const profile::Profile> profile;
  LimitIndex index;
  Aggregation aggregation;
  RuleIndex rules;

  explicit Advised(std::shared_ptr<const profile::Profile> of)
      : profile(std::move(of)),
        index(*profile),
        aggregation(make_cpu_aggregator(profile)->aggregate({{}, {0, 0}})),
        rules(*profile) {}
  explicit Advised(CountedRun run) : Advised(std::move(run).finish()) {}

  std::vector<LimitAdvice> all() const { return limit_advice(*profile, aggregation, index); }
  std::vector<LimitAdvice> of(AdviceKind kind) const {
    std::vector<LimitAdvice> found = all();
    std::erase_if(found, [kind](const LimitAdvice& advice) { return advice.kind != kind; });
    return found;
  }
  std::vector<HeadroomRow> headroom() const {
    return tensor_core_headroom(*profile, aggregation, index);
  }
  FoundFindings findings() const {
    return find_findings(*profile, aggregation, {}, &rules, kWorstPlaces, &index);
  }
  // Potential savings in ns; -1 = not found.
  int64_t found(std::string_view detector) const {
    const FoundFindings all = findings();
    const Finding* finding = find_finding(all.findings, detector);
    return finding == nullptr ? -1 : finding->stake_ns.value_or(0);
  }
};

// A GEMM on Tensor Cores that reaches 400 TFLOP/s, for the best rate.
void add_fast(CountedRun& run, std::string_view data_type) {
  const profile::Row op = run.op("aten::mm", data_type);
  run.kernel(run.call(op, kSquare), "gemm_128x128_align8", 132,
             static_cast<int64_t>(kSquareFlop / 400e12 * 1e9), true);
}
constexpr double kFastNs = kSquareFlop / 400e12 * 1e9;

CountedRun single_precision(int64_t ns, const char* shapes = kSquare,
                            CountedRun run = CountedRun()) {
  run.kernel(run.call(run.op("aten::mm", "float32"), shapes), "ampere_sgemm_128x64", 132 * 8, ns);
  return run;
}

TEST(Headroom, IsTimeAboveTheBestRate) {
  CountedRun run = single_precision(4 * kMillisecondNs);
  add_fast(run, "float32");
  const Advised advised(std::move(run));
  ASSERT_THAT(advised.headroom(), SizeIs(1));
  const HeadroomRow row = advised.headroom()[0];
  EXPECT_EQ(row.time_ns, 4 * kMillisecondNs);
  EXPECT_DOUBLE_EQ(row.flops.value(), kSquareFlop);
  EXPECT_NEAR(row.best_rate.value(), 400e12, 1e9);
  EXPECT_NEAR(row.gain_ns.value(), 4 * kMillisecondNs - kFastNs, 10);
}

TEST(Headroom, NeedsACallOfTheSameType) {
  CountedRun run = single_precision(4 * kMillisecondNs);
  add_fast(run, "float16");
  const HeadroomRow row = Advised(std::move(run)).headroom().at(0);
  EXPECT_FALSE(row.gain_ns);
  EXPECT_FALSE(row.best_rate);
  EXPECT_THAT(std::string(row.note), HasSubstr("no Tensor Core call"));
}

TEST(Headroom, IsNoneWhereMemoryLimits) {
  CountedRun run = single_precision(4 * kMillisecondNs, "[[1,4096],[4096,4096]]");
  add_fast(run, "float32");
  const HeadroomRow row = Advised(std::move(run)).headroom().at(0);
  EXPECT_FALSE(row.gain_ns);
  EXPECT_EQ(row.note, "memory-bound, no gain expected");
}

TEST(Headroom, LeavesOutGpusWithoutTensorCores) {
  CountedRun run =
      single_precision(4 * kMillisecondNs, kSquare, CountedRun("Tesla V100-SXM2-16GB", 7, 0));
  EXPECT_THAT(Advised(std::move(run)).headroom(), IsEmpty());
}

// Nearest rank: the 38th of 40 from below, and the 12th of 12.
TEST(Headroom, BestRateIsAPercentile) {
  for (const auto& [calls, fastest_of] : {std::pair(40, 2), std::pair(12, 0)}) {
    CountedRun run = single_precision(4 * kMillisecondNs);
    const profile::Row op = run.op("aten::mm", "float32");
    for (int i = 0; i < calls; ++i) {  // rates fall with i
      run.kernel(run.call(op, kSquare), "gemm_128x128", 132, (i + 1) * kMillisecondNs / 4, true);
    }
    const Advised advised(std::move(run));
    EXPECT_NEAR(advised.headroom().at(0).best_rate.value(),
                kSquareFlop / (0.25e-3 * (fastest_of + 1)), 1e6)
        << calls;
  }
}

// A call of another data type neither hides the gain of the others nor has one.
TEST(Headroom, CallsOfSeveralDataTypesAreJudgedEach) {
  const auto gain_with = [](std::string_view data_type) {
    CountedRun run = single_precision(4 * kMillisecondNs);
    add_fast(run, "float32");
    if (!data_type.empty()) {
      const profile::Row op = run.op("aten::mm", data_type);
      run.kernel(run.call(op, kSquare), "gemm_128x128", 132, kMillisecondNs);
    }
    const Advised advised(std::move(run));
    for (const HeadroomRow& row : advised.headroom()) {
      if (row.gain_ns) return *row.gain_ns;
    }
    return 0.0;
  };
  EXPECT_GT(gain_with(""), 0);
  for (const char* data_type : {"float64", "int32", "complex64"}) {
    EXPECT_EQ(gain_with(data_type), gain_with("")) << data_type;
  }
}

TEST(LimitAdvice, SinglePrecisionIsFound) {
  CountedRun run = single_precision(4 * kMillisecondNs);
  add_fast(run, "float32");
  const Advised advised(std::move(run));
  ASSERT_THAT(advised.of(AdviceKind::tensor_cores), SizeIs(1));
  const LimitAdvice advice = advised.of(AdviceKind::tensor_cores)[0];
  EXPECT_NEAR(advice.save_ns.value(), 4 * kMillisecondNs - kFastNs, 10);
  EXPECT_THAT(advice.evidence, HasSubstr("TF32 calls of this profile reach"));
  EXPECT_NEAR(static_cast<double>(advised.found("fp32_gemm_headroom")),
              4 * kMillisecondNs - kFastNs, 10);
}

// Without a TF32 call in the profile the peak of the data sheet counts.
TEST(LimitAdvice, SinglePrecisionTakesThePeakElse) {
  const Advised advised(single_precision(4 * kMillisecondNs));
  const LimitAdvice advice = advised.of(AdviceKind::tensor_cores).at(0);
  EXPECT_NEAR(advice.save_ns.value(), 4 * kMillisecondNs - kSquareFlop / 494.7e12 * 1e9, 100);
  EXPECT_THAT(advice.evidence, HasSubstr("at the peak of TF32"));
}

TEST(LimitAdvice, SinglePrecisionNearMissesStaySilent) {
  CountedRun tensor;  // TF32 already
  tensor.kernel(tensor.call(tensor.op("aten::mm", "float32"), kSquare), "tf32gemm", 132 * 8,
                4 * kMillisecondNs, true);
  const std::vector<std::shared_ptr<const profile::Profile>> profiles{
      std::move(tensor).finish(),
      single_precision(4 * kMillisecondNs, "[[1,4096],[4096,4096]]").finish(),  // memory-bound
      single_precision(330'000).finish(),                      // gains less than 20%
      single_precision(50'000, "[[64,64],[64,64]]").finish(),  // 0.5 MFLOP
      single_precision(4 * kMillisecondNs, kSquare, CountedRun("Tesla V100-SXM2-16GB", 7, 0))
          .finish()};
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const Advised advised(profiles[i]);
    EXPECT_THAT(advised.of(AdviceKind::tensor_cores), IsEmpty()) << i;
    EXPECT_EQ(advised.found("fp32_gemm_headroom"), -1) << i;
  }
}

CountedRun half_precision(const char* shapes, std::string_view kernel, bool tensor = true) {
  CountedRun run;
  add_fast(run, "float16");
  run.kernel(run.call(run.op("aten::mm", "float16"), shapes), kernel, 132 * 8, 4 * kMillisecondNs,
             tensor);
  return run;
}

TEST(LimitAdvice, UnalignedSizesAreFound) {
  const char* const odd = "[[4096,4097],[4097,4096]]";
  for (const bool tensor : {true, false}) {
    const Advised advised(half_precision(odd, "gemm_128x128_align1", tensor));
    const auto found = advised.of(AdviceKind::aligned_sizes);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_THAT(found[0].evidence, HasSubstr("4097"));
    const double best_ns = 2.0 * 4096 * 4096 * 4097 / 400e12 * 1e9;
    EXPECT_NEAR(static_cast<double>(advised.found("unaligned_sizes")), 4 * kMillisecondNs - best_ns,
                10);
  }
}

// The only call of its type is unaligned: the peak counts, not its own rate.
TEST(LimitAdvice, UnalignedSizesTakeThePeakElse) {
  CountedRun run;
  run.kernel(run.call(run.op("aten::mm", "float16"), "[[4096,4097],[4097,4096]]"),
             "gemm_128x128_align1", 132 * 8, 4 * kMs, true);
  const double best_ns = 2.0 * 4096 * 4096 * 4097 / 989.4e12 * 1e9;
  EXPECT_NEAR(static_cast<double>(Advised(std::move(run)).found("unaligned_sizes")),
              4 * kMs - best_ns, 10);
}

TEST(LimitAdvice, AlignedSizesStaySilent) {
  struct Case {
    const char *shapes, *kernel;
  };
  for (const Case& each : {Case{"[[4096,4096],[4096,4096]]", "gemm_128x128"},
                           Case{"[[4095,4096],[4096,4096]]", "gemm_128x128"},  // M does not matter
                           Case{"[[4096,4097],[4097,4096]]", "gemm_128x128_align8"},  // padded
                           Case{"[[64,65],[65,64]]", "gemm_128x128_align1"}}) {
    const Advised advised(half_precision(each.shapes, each.kernel));
    EXPECT_THAT(advised.of(AdviceKind::aligned_sizes), IsEmpty()) << each.shapes << each.kernel;
    EXPECT_EQ(advised.found("unaligned_sizes"), -1) << each.shapes << each.kernel;
  }
}

// Kernels of ops in a row, each with its shapes.
struct Step {
  const char *op, *kernel, *shapes;
};
CountedRun chain(const std::vector<Step>& steps, int64_t ns = kMillisecondNs) {
  CountedRun run;
  for (const Step& step : steps) {
    run.kernel(run.call(run.op(step.op), step.shapes), step.kernel, 4096, ns);
  }
  return run;
}
constexpr Step kAdd{"aten::add", "add_kernel", kSquare};
constexpr Step kMul{"aten::mul", "mul_kernel", kSquare};
constexpr Step kRelu{"aten::relu", "relu_kernel", "[[4096,4096]]"};

TEST(LimitAdvice, ChainsAreFound) {
  for (const std::vector<Step>& steps :
       {std::vector<Step>{kAdd, kMul, kRelu}, {kMul, kMul, kMul}, {kAdd, kRelu, kMul, kAdd}}) {
    const Advised advised(chain(steps));
    ASSERT_THAT(advised.of(AdviceKind::fuse), SizeIs(1));
    const auto count = static_cast<int64_t>(steps.size());
    EXPECT_EQ(advised.of(AdviceKind::fuse)[0].kernels, count);
    EXPECT_EQ(advised.found("unfused_elementwise"), (count - 1) * kMillisecondNs);
  }
}

TEST(LimitAdvice, ShortOrUnlikeChainsStaySilent) {
  const Step small{"aten::mul", "mul_kernel", "[[64,64],[64,64]]"};
  const Step gemm{"aten::mm", "gemm", kSquare};
  const Step optimizer{"Optimizer.step", "multi_tensor_apply_kernel", ""};
  for (const std::vector<Step>& steps : {std::vector<Step>{kAdd, kMul},
                                         {kAdd, kMul, gemm, kRelu, kMul},
                                         {kAdd, small, kMul},
                                         {optimizer, optimizer, optimizer},
                                         {kAdd, kMul, optimizer}}) {
    const Advised advised(chain(steps));
    EXPECT_THAT(advised.of(AdviceKind::fuse), IsEmpty());
    EXPECT_EQ(advised.found("unfused_elementwise"), -1);
  }
}

CountedRun blocks(int32_t count, std::string_view name = "gemm_128x128",
                  int64_t ns = kMillisecondNs) {
  CountedRun run;
  run.kernel(run.call(run.op("aten::mm", "float16"), kSquare), name, count, ns, true);
  return run;
}

TEST(LimitAdvice, TailWavesAreFound) {
  struct Case {
    int32_t blocks;
    double lost;
  };
  // Registers are not recorded: one block for each SM.
  for (const Case& each :
       {Case{20, 1 - 20 / 132.0}, Case{140, 1 - 140 / 264.0}, Case{300, 1 - 300 / 396.0}}) {
    const Advised advised(blocks(each.blocks));
    ASSERT_THAT(advised.of(AdviceKind::tail_waves), SizeIs(1)) << each.blocks;
    EXPECT_NEAR(static_cast<double>(advised.found("tail_waves")), each.lost * kMillisecondNs, 2);
  }
}

TEST(LimitAdvice, FullWavesStaySilent) {
  for (const int32_t count : {132, 264, 120, 200, 1325}) {
    EXPECT_EQ(Advised(blocks(count)).found("tail_waves"), -1) << count;
  }
  EXPECT_EQ(Advised(blocks(20, "gemm_splitK")).found("tail_waves"), -1);
  EXPECT_EQ(Advised(blocks(20, "gemm", 9'000)).found("tail_waves"), -1);
  EXPECT_EQ(Advised(blocks(20, "ncclDevKernel_AllReduce_Sum_f32_RING_LL")).found("tail_waves"), -1);
  // Reaches 58% of the peak all the same.
  EXPECT_EQ(Advised(blocks(140, "gemm", 240'000)).found("tail_waves"), -1);
}

// A kernel of a PyTorch trace with so many registers for each thread.
std::shared_ptr<const profile::Profile> registers(int64_t count, std::string_view name,
                                                  int32_t grid = 132 * 16) {
  testing::EventSketch sketch;
  sketch.op("my::op", 0, 100);
  sketch.call("cudaLaunchKernel", 10, 20, 1);
  auto& kernel = sketch.kernel(name, 200, 200 + kMillisecondNs, 1);
  kernel.grid = {grid, 1, 1};
  kernel.block = {128, 1, 1};
  kernel.registers_per_thread = count;
  kernel.shared_bytes = 0;
  return std::make_shared<const profile::Profile>(std::move(sketch).finish());
}

TEST(LimitAdvice, LowOccupancyIsFound) {
  const Advised advised(registers(255, "scan_kernel"));
  const auto found = advised.of(AdviceKind::occupancy);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].evidence, HasSubstr("12.5%"));
  EXPECT_THAT(found[0].evidence, HasSubstr("registers (255 per thread)"));
  EXPECT_EQ(advised.found("low_occupancy"), kMillisecondNs);
}

TEST(LimitAdvice, OccupancyNearMissesStaySilent) {
  EXPECT_EQ(Advised(registers(64, "scan_kernel")).found("low_occupancy"), -1);
  EXPECT_EQ(Advised(registers(255, "scan_kernel", 100)).found("low_occupancy"), -1);
  EXPECT_EQ(Advised(registers(255, "ampere_sgemm_128x64_nn")).found("low_occupancy"), -1);
  EXPECT_EQ(Advised(registers(255, "flash_fwd_kernel")).found("low_occupancy"), -1);
}

TEST(LimitAdvice, SmallOpsRaiseNone) {
  CountedRun run = single_precision(kMillisecondNs);
  run.kernel(run.call(run.op("unheard_of"), ""), "mystery", 132, 200 * kMillisecondNs);
  const Advised advised(std::move(run));
  EXPECT_THAT(advised.of(AdviceKind::tensor_cores), IsEmpty());
  EXPECT_EQ(advised.found("fp32_gemm_headroom"), -1);  // below the threshold of savings
}

TEST(LimitAdvice, UnknownOpsSayWhatToCollect) {
  CountedRun run;
  run.kernel(run.call(run.op("unheard_of"), ""), "void lib::mystery_kernel<float>(int)", 132,
             kMillisecondNs);
  const auto found = Advised(std::move(run)).of(AdviceKind::collect);
  ASSERT_THAT(found, SizeIs(2));  // counters of the op, and shapes
  EXPECT_THAT(found[0].advice + found[1].advice, HasSubstr("--kernel-name regex:mystery_kernel"));
}

TEST(LimitAdvice, UnknownPeaksAreAskedFor) {
  CountedRun run("Some GPU", 9, 0);
  run.kernel(run.call(run.op("aten::mm", "float16"), kSquare), "gemm", 264, kMillisecondNs, true);
  const auto found = Advised(std::move(run)).of(AdviceKind::collect);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].advice, HasSubstr("--peaks"));
}

TEST(LimitAdvice, SmallKernelsAreCounted) {
  CountedRun run;
  const profile::Row op = run.op("my_op");
  for (int i = 0; i < 200; ++i) run.kernel(run.call(op, ""), "tiny", 1, 3'000);
  const auto found = Advised(std::move(run)).of(AdviceKind::small_kernels);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].evidence, HasSubstr("200 kernels"));
  EXPECT_FALSE(found[0].save_ns);
}

TEST(LimitFindings, SayWhatTheyCannotCheck) {
  CountedRun run;
  run.kernel(run.call(run.op("my_op"), ""), "mystery", 132, kMillisecondNs);
  const FoundFindings found = Advised(std::move(run)).findings();
  const auto check = std::ranges::find(found.checks, "unaligned_sizes", &Check::detector);
  ASSERT_NE(check, found.checks.end());
  EXPECT_EQ(check->not_checked, "input shapes not recorded");
}

TEST(LimitFindings, ObeyTheirThresholds) {
  const Advised advised(blocks(20));
  AdviceThresholds thresholds;
  thresholds.last_wave = 10;
  const FoundFindings found = find_findings(*advised.profile, advised.aggregation, thresholds,
                                            &advised.rules, kWorstPlaces, &advised.index);
  EXPECT_EQ(find_finding(found.findings, "tail_waves"), nullptr);
}

TEST(LimitFindings, LeadToTheOp) {
  const Advised advised(blocks(20));
  const FoundFindings found = advised.findings();
  const Finding* finding = find_finding(found.findings, "tail_waves");
  ASSERT_NE(finding, nullptr);
  ASSERT_THAT(finding->places, SizeIs(1));
  EXPECT_EQ(finding->places[0].duration_ns, kMillisecondNs);
  EXPECT_EQ(finding->op, advised.profile->instances.op[finding->places[0].instance]);
}

// Resident blocks by hand: 65,536 registers, 233,472 bytes and 64 warps on an SM of CC 9.0.
TEST(Residency, NamesTheSmallestLimit) {
  profile::Device device;
  device.compute_capability_major = 9;
  struct Case {
    LaunchNeeds needs;
    int64_t blocks;
    std::string_view limit;
  };
  for (const Case& each :
       {Case{{256, 32, 0}, 8, "warps"}, Case{{256, 128, 0}, 2, "registers"},
        Case{{256, 32, 100'000}, 2, "shared memory"}, Case{{32, 16, 0}, 32, "blocks"}}) {
    const auto found = residency_of(device, each.needs);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->blocks_per_sm, each.blocks) << each.limit;
    EXPECT_EQ(found->limit, each.limit);
  }
  EXPECT_FALSE(residency_of(device, {256, std::nullopt, 0}));
  device.compute_capability_major = 3;
  EXPECT_FALSE(residency_of(device, {256, 32, 0}));
}

// Twelve blocks on eight SMs, one at a time: two waves, the last half full.
TEST(Residency, CountsWaves) {
  const GridWaves waves = grid_waves(12, 8, 1).value();
  EXPECT_EQ(waves.whole, 2);
  EXPECT_DOUBLE_EQ(waves.last_percent, 50);
  EXPECT_DOUBLE_EQ(waves.lost_percent, 25);
  // Nine blocks on the fullest SM instead of 8.47, although the second wave is 6% full.
  EXPECT_NEAR(grid_waves(576, 68, 8).value().last_percent, 5.88, 0.01);
  EXPECT_NEAR(grid_waves(576, 68, 8).value().lost_percent, 5.88, 0.01);
  // One block for each SM is full although four fit.
  EXPECT_DOUBLE_EQ(grid_waves(8, 8, 4).value().lost_percent, 0);
  EXPECT_FALSE(grid_waves(8, 0, 1));
}

}  // namespace
}  // namespace dlview::aggregate
