// Limits of ops, kernels, shapes and groups: sums, roofs, verdicts, filters, measured kernels. The
// work of calls comes from their shapes, so numbers follow from 2MNK.

#include "aggregate/limits/limits.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/iterations.h"
#include "aggregate/limits/counted_run.h"
#include "import/open.h"
#include "support/random_profile.h"
#include "support/test_data.h"

namespace dlview::aggregate {
namespace {

using testing::CountedRun;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A run with its index and the aggregation of all of it.
struct Judged {
  std::shared_ptr<const profile::Profile> profile;
  std::unique_ptr<Aggregator> aggregator;
  LimitIndex index;

  explicit Judged(std::shared_ptr<const profile::Profile> of, const LimitOptions& options = {})
      : profile(std::move(of)),
        aggregator(make_cpu_aggregator(profile)),
        index(*profile, options) {}

  Aggregation whole(std::vector<Filter> filters = {}) const {
    return aggregator->aggregate({{}, {0, 0}, std::move(filters)});
  }
  std::vector<LimitRow> rows(LimitsBy by, std::vector<Filter> filters = {}) const {
    return index.rows(whole(std::move(filters)), by);
  }
};

// FP16 GEMM of 1024 x 1024 x 1024 in 20 µs on Tensor Cores of an H100: 107 TFLOP/s of 989.4.
constexpr const char* kShapes = "[[1024,1024],[1024,1024]]";
constexpr double kGemmFlop = 2.0 * 1024 * 1024 * 1024;
constexpr double kGemmBytes = 3.0 * 2 * 1024 * 1024;

CountedRun gemm_run() {
  CountedRun run;
  const profile::Row gemm = run.op("aten::mm"), other = run.op("unheard_of");
  run.kernel(run.call(gemm, kShapes), "gemm_64x64", 256, 20'000, true);
  run.kernel(run.call(gemm, kShapes), "gemm_64x64", 256, 30'000, true);
  run.kernel(run.call(other), "mystery", 8, 5'000);
  return run;
}

TEST(Limits, WorkFollowsFromShapes) {
  const Judged run(gemm_run().finish());
  const std::vector<LimitRow> rows = run.rows(LimitsBy::op);
  ASSERT_THAT(rows, SizeIs(2));
  const LimitRow& gemm = rows[0];
  EXPECT_EQ(gemm.calls, 2);
  EXPECT_EQ(gemm.time_ns, 50'000);
  EXPECT_EQ(gemm.known_ns, 50'000);
  EXPECT_EQ(gemm.type, MathType::fp16_tensor);
  EXPECT_DOUBLE_EQ(gemm.flops.value.value(), 2 * kGemmFlop);
  EXPECT_DOUBLE_EQ(gemm.bytes.value.value(), 2 * kGemmBytes);
  EXPECT_EQ(gemm.flops.origin, Origin::estimated);
  EXPECT_TRUE(gemm.flops.exact);
  EXPECT_DOUBLE_EQ(gemm.flops_per_second.value(), 2 * kGemmFlop / 50e-6);
  EXPECT_DOUBLE_EQ(gemm.intensity.value(), kGemmFlop / kGemmBytes);
  const double roof_ns = 2 * kGemmFlop / 989.4e12 * 1e9;
  EXPECT_NEAR(gemm.roof_ns.value(), roof_ns, 1e-6);
  EXPECT_NEAR(gemm.save_ns.value(), 50'000 - roof_ns, 1e-6);
  EXPECT_NEAR(gemm.math.percent.value(), 100 * roof_ns / 50'000, 1e-9);
  EXPECT_TRUE(gemm.roof_is_math);
  EXPECT_EQ(gemm.by_flops, Limit::unknown);  // 8.7% from shapes proves nothing
  EXPECT_EQ(gemm.by_intensity, Limit::math);
  EXPECT_EQ(gemm.by_busy, Limit::unknown);
}

// Two of three calls on Tensor Cores, most of the time without.
TEST(Limits, TypeIsThatOfMostFlop) {
  CountedRun run;
  const profile::Row gemm = run.op("aten::mm");
  run.kernel(run.call(gemm, kShapes), "gemm_64x64", 256, 20'000, true);
  run.kernel(run.call(gemm, kShapes), "gemm_64x64", 256, 20'000, true);
  run.kernel(run.call(gemm, kShapes), "plain_gemm", 256, 100'000);
  const Judged judged(std::move(run).finish());
  const LimitRow op = judged.rows(LimitsBy::op).at(0);
  EXPECT_EQ(op.type, MathType::fp16_tensor);
  EXPECT_EQ(op.peak_flops->per_second, 989.4e12);
  EXPECT_TRUE(op.mixes_types);
  EXPECT_EQ(op.note, "Several number formats: shares are of the peak of each");
  // Shares add up call by call.
  const std::vector<LimitRow> kernels = judged.rows(LimitsBy::kernel);
  ASSERT_THAT(kernels, SizeIs(2));
  EXPECT_EQ(kernels[0].type, MathType::fp16);
  EXPECT_EQ(kernels[1].type, MathType::fp16_tensor);
  double percent_ns = 0;
  for (const LimitRow& kernel : kernels) {
    EXPECT_FALSE(kernel.mixes_types);
    EXPECT_EQ(kernel.note, "");
    percent_ns += kernel.math.percent.value() * static_cast<double>(kernel.time_ns);
  }
  EXPECT_NEAR(op.math.percent.value(), percent_ns / 140'000, 1e-9);
}

// What is assumed of a convolution proves nothing and saves nothing for sure.
TEST(Limits, AssumedStrideProvesNothing) {
  const auto row_of = [](const char* parameters) {
    CountedRun run;
    const profile::Row conv = run.op("aten::conv2d");
    run.kernel(run.call(conv, "[[256,256,56,56],[256,256,3,3],[],[],[],[],[]]", parameters),
               "implicit_gemm_128x128", 256, 1'000'000, true);
    return std::move(run).finish();
  };
  const Judged assumed(row_of("")),
      recorded(row_of(R"(["","","","[1, 1]","[0, 0]","[1, 1]","1"])"));
  const LimitRow row = assumed.rows(LimitsBy::op).at(0), sure = recorded.rows(LimitsBy::op).at(0);
  EXPECT_EQ(row.flops.value, sure.flops.value);
  EXPECT_GT(row.math.percent.value(), 70);
  EXPECT_EQ(sure.by_flops, Limit::math);
  EXPECT_EQ(row.by_flops, Limit::unknown);
  EXPECT_EQ(row.flops.sign(), "≈ ");
  EXPECT_EQ(sure.flops.sign(), "≥ ");
  EXPECT_GT(row.save_ns.value(), sure.save_ns.value());
  EXPECT_EQ(row.note, "FLOP may be too high: something is assumed, see the formula");
}

// Tensors that fit in the L2 cache need not come from memory.
TEST(Limits, SmallTensorsDoNotProveMemory) {
  const auto limit_of = [](int64_t elements, int64_t duration_ns) {
    CountedRun run;
    const profile::Row relu = run.op("aten::relu", "float32");
    run.kernel(run.call(relu, "[[" + std::to_string(elements) + "]]"), "relu", 256, duration_ns);
    const Judged judged(std::move(run).finish());
    const LimitRow row = judged.rows(LimitsBy::op).at(0);
    EXPECT_GT(row.memory.percent.value(), 70);
    return row.by_flops;
  };
  EXPECT_EQ(limit_of(100'000'000, 300'000), Limit::memory);  // 800 MB
  EXPECT_EQ(limit_of(1'000'000, 3'000), Limit::unknown);     // 8 MB of 50 MB
}

TEST(Limits, OpsOfOneNameHaveTheirIds) {
  CountedRun run;
  const profile::Row first = run.op("aten::relu", "float32", "/net/relu"),
                     second = run.op("aten::relu", "float32", "/net/relu"),
                     other = run.op("aten::mm");
  for (const profile::Row op : {first, second, other}) run.kernel(run.call(op), "kernel", 8);
  const Judged judged(std::move(run).finish());
  std::vector<std::string> names;
  for (const LimitRow& row : judged.rows(LimitsBy::op)) names.emplace_back(row.name);
  EXPECT_THAT(names,
              ::testing::UnorderedElementsAre("/net/relu (OP_1)", "/net/relu (OP_2)", "/net/op3"));
}

TEST(Limits, UnknownWorkHasNoRoof) {
  const Judged run(gemm_run().finish());
  const LimitRow other = run.rows(LimitsBy::op)[1];
  EXPECT_EQ(other.time_ns, 5'000);
  EXPECT_EQ(other.known_ns, 0);
  EXPECT_FALSE(other.flops.value);
  EXPECT_FALSE(other.roof_ns);
  EXPECT_FALSE(other.save_ns);
  EXPECT_EQ(other.limit(), Limit::unknown);
  EXPECT_EQ(other.origin(), Origin::none);
}

TEST(Limits, UnknownGpuHasNoRoof) {
  CountedRun run("Some GPU", 9, 0);
  const profile::Row gemm = run.op("aten::mm");
  run.kernel(run.call(gemm, kShapes), "gemm", 256, 20'000, true);
  const Judged judged(std::move(run).finish());
  const LimitRow row = judged.rows(LimitsBy::op)[0];
  EXPECT_TRUE(row.flops.value);
  EXPECT_EQ(row.peak_flops, nullptr);
  EXPECT_FALSE(row.roof_ns);
  EXPECT_EQ(row.note, "Peak for this number format unknown");
}

TEST(Limits, UserPeaksReplaceTheTable) {
  LimitOptions options;
  const auto peaks =
      parse_peaks("label,peak_flops,peak_bandwidth\ntheoretical,1e14,1e12\n", "p.csv");
  ASSERT_TRUE(peaks);
  options.peaks = std::make_shared<const UserPeaks>(*peaks);
  const Judged run(gemm_run().finish(), options);
  const LimitRow gemm = run.rows(LimitsBy::op)[0];
  EXPECT_DOUBLE_EQ(gemm.peak_flops->per_second, 1e14);
  EXPECT_NEAR(gemm.math.percent.value(), 100 * 2 * kGemmFlop / 1e14 / 50e-6, 1e-9);
  EXPECT_EQ(gemm.by_flops, Limit::math);  // 86% is proved even by shapes
}

TEST(Limits, KernelTakesTheWorkOfItsCall) {
  const Judged run(gemm_run().finish());
  const std::vector<LimitRow> rows = run.rows(LimitsBy::kernel);
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].name, "gemm_64x64");
  EXPECT_EQ(rows[0].calls, 2);
  EXPECT_DOUBLE_EQ(rows[0].flops.value.value(), 2 * kGemmFlop);
}

TEST(Limits, CallOfTwoKernelsGivesThemNone) {
  CountedRun run;
  const profile::Row call = run.call(run.op("aten::mm"), kShapes);
  run.kernel(call, "split_k", 256, 10'000, true);
  run.kernel(call, "reduce_k", 256, 10'000);
  const Judged judged(std::move(run).finish());
  for (const LimitRow& row : judged.rows(LimitsBy::kernel)) EXPECT_FALSE(row.flops.value);
  EXPECT_DOUBLE_EQ(judged.rows(LimitsBy::op)[0].flops.value.value(), kGemmFlop);
}

TEST(Limits, ShapesOfAnOpAreRows) {
  CountedRun run;
  const profile::Row gemm = run.op("aten::mm");
  run.kernel(run.call(gemm, kShapes), "gemm", 256, 20'000, true);
  run.kernel(run.call(gemm, "[[8,1024],[1024,1024]]"), "gemm", 256, 5'000, true);
  const Judged judged(std::move(run).finish());
  const std::vector<LimitRow> rows = judged.rows(LimitsBy::shape);
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(judged.profile->text(rows[1].shapes), "[[8,1024],[1024,1024]]");
  EXPECT_DOUBLE_EQ(rows[1].flops.value.value(), 2.0 * 8 * 1024 * 1024);
  EXPECT_EQ(rows[1].by_intensity, Limit::memory);
}

// A filter takes one of two kernels of a call: what the rest does is not known.
TEST(Limits, FilteredCallHasNoWork) {
  CountedRun run;
  const profile::Row gemm = run.op("aten::mm");
  const profile::Row call = run.call(gemm, kShapes);
  run.kernel(call, "a", 256, 10'000, true);
  run.kernel(call, "b", 256, 10'000, true);
  const Judged judged(std::move(run).finish());
  const LimitRow row = judged.rows(LimitsBy::op, {{FilterKind::kernel, "a"}})[0];
  EXPECT_EQ(row.time_ns, 10'000);
  EXPECT_FALSE(row.flops.value);
}

TEST(Limits, MeasuredKernelsCount) {
  CountedRun run = gemm_run();
  run.measured("gemm_64x64", 256,
               {{"sm__ops_path_tensor_src_fp16_dst_fp32.sum", 3e9},
                {"dram__bytes_read.sum", 4e6},
                {"dram__bytes_write.sum", 2e6},
                {"sm__throughput.avg.pct_of_peak_sustained_elapsed", 81.5},
                {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 12.5}});
  const Judged judged(std::move(run).finish());
  const LimitRow gemm = judged.rows(LimitsBy::op)[0];
  EXPECT_DOUBLE_EQ(gemm.flops.value.value(), 6e9);
  EXPECT_DOUBLE_EQ(gemm.bytes.value.value(), 12e6);
  EXPECT_EQ(gemm.flops.origin, Origin::counted);
  EXPECT_EQ(gemm.measured_ns, 50'000);
  EXPECT_DOUBLE_EQ(gemm.busy_math.percent.value(), 81.5);
  EXPECT_EQ(gemm.by_busy, Limit::math);
  EXPECT_EQ(gemm.by_flops, Limit::neither);
  EXPECT_EQ(gemm.limit(), Limit::neither);
  EXPECT_EQ(gemm.origin(), Origin::counted);
  EXPECT_EQ(judged.rows(LimitsBy::kernel)[0].flops.value, 6e9);
}

// Bytes are counted, FLOP are from shapes.
TEST(Limits, CountedBytesGoBeforeShapes) {
  CountedRun run = gemm_run();
  run.measured("gemm_64x64", 256, {{"dram__bytes_read.sum", 8e6}, {"dram__bytes_write.sum", 2e6}});
  const Judged judged(std::move(run).finish());
  const LimitRow gemm = judged.rows(LimitsBy::op)[0];
  EXPECT_DOUBLE_EQ(gemm.flops.value.value(), 2 * kGemmFlop);
  EXPECT_EQ(gemm.flops.origin, Origin::estimated);
  EXPECT_DOUBLE_EQ(gemm.bytes.value.value(), 20e6);
  EXPECT_EQ(gemm.bytes.origin, Origin::counted);
}

TEST(Limits, SummaryAddsUpToAllTime) {
  const Judged run(gemm_run().finish());
  const std::vector<LimitRow> rows = run.rows(LimitsBy::op);
  int64_t time_ns = 0;
  for (const LimitSummary& sum : summarize(rows)) time_ns += sum.time_ns;
  EXPECT_EQ(time_ns, 55'000);
  EXPECT_EQ(summarize(rows).back().limit, Limit::unknown);
}

// Rows by sums that are at hand, and kernel by kernel.
void expect_equal_rows(const std::vector<LimitRow>& rows, const std::vector<LimitRow>& twins) {
  ASSERT_EQ(rows.size(), twins.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].name, twins[i].name);
    EXPECT_EQ(rows[i].calls, twins[i].calls);
    EXPECT_EQ(rows[i].kernels, twins[i].kernels);
    EXPECT_EQ(rows[i].time_ns, twins[i].time_ns);
    EXPECT_EQ(rows[i].known_ns, twins[i].known_ns);
    EXPECT_EQ(rows[i].measured_ns, twins[i].measured_ns);
    EXPECT_EQ(rows[i].flops, twins[i].flops);
    EXPECT_EQ(rows[i].bytes, twins[i].bytes);
    EXPECT_EQ(rows[i].roof_ns, twins[i].roof_ns);
    EXPECT_EQ(rows[i].save_ns, twins[i].save_ns);
    EXPECT_EQ(rows[i].limit(), twins[i].limit());
  }
}

constexpr LimitsBy kAll[] = {LimitsBy::op, LimitsBy::kernel, LimitsBy::shape, LimitsBy::group};

TEST(Limits, RangesEqualKernelByKernel) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const auto profile = std::make_shared<const profile::Profile>(
        testing::random_profile({.seed = seed, .processes = 1 + static_cast<int>(seed % 2)}));
    const auto aggregator = make_cpu_aggregator(profile);
    const LimitIndex index(*profile);
    const Cut cut{.key_op = std::string(testing::kRandomKeyOp)};
    const auto count = static_cast<int64_t>(cut_iterations(*profile, cut).rows.size());
    for (const IterationRange& range :
         {IterationRange{0, count - 1}, IterationRange{1, count / 2}, IterationRange{2, 2}}) {
      const Aggregation aggregation = aggregator->aggregate({cut, range});
      for (const LimitsBy by : kAll) {
        expect_equal_rows(index.rows(aggregation, by), index.rows_one_by_one(aggregation, by));
      }
    }
  }
}

// Kernel times of the rows are those of the aggregation.
TEST(Limits, TimesEqualTheAggregation) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const auto profile =
        std::make_shared<const profile::Profile>(testing::random_profile({.seed = seed}));
    const auto aggregator = make_cpu_aggregator(profile);
    const LimitIndex index(*profile);
    const Cut cut{.key_op = std::string(testing::kRandomKeyOp)};
    const auto last = static_cast<int64_t>(cut_iterations(*profile, cut).rows.size()) - 1;
    const std::vector<Filter> no_filters;
    for (const auto& filters :
         {no_filters, std::vector<Filter>{{FilterKind::tensor_core, "", 1}}}) {
      const Aggregation aggregation = aggregator->aggregate({cut, {1, last - 1}, filters});
      std::map<profile::OpIndex, int64_t> expected;
      for (const OpAggregate& op : aggregation.ops) {
        if (op.kernel_gpu.sum != 0) expected[op.op] = op.kernel_gpu.sum;
      }
      std::map<profile::OpIndex, int64_t> found;
      for (const LimitRow& row : index.rows(aggregation, LimitsBy::op)) {
        found[row.op] = row.time_ns;
      }
      EXPECT_EQ(found, expected) << seed;
    }
  }
}

TEST(Limits, CountersAloneAreRows) {
  DLVIEW_REQUIRE_TEST_DATA();
  base::Progress progress;
  const auto folder = *testing::test_data_folder() / "ncu";
  const auto opened = import::open_profile(folder / "rtx5070_metrics_saxpy.csv", progress);
  ASSERT_TRUE(opened) << opened.error().detail;
  LimitOptions options;
  const auto peaks = parse_peaks(
      "label,peak_flops,peak_bandwidth\ntheoretical,32256000000000,672048000000\n", "p.csv");
  options.peaks = std::make_shared<const UserPeaks>(*peaks);
  const Judged run(std::make_shared<const profile::Profile>(*opened), options);
  const std::vector<LimitRow> rows = run.rows(LimitsBy::kernel);
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].time_ns, 292'928);
  EXPECT_DOUBLE_EQ(rows[0].bytes.value.value(), 177'852'672);
  EXPECT_NEAR(rows[0].memory.percent.value(), 90.34, 0.01);
  EXPECT_NEAR(rows[0].busy_math.percent.value(), 22.3, 1e-9);
  EXPECT_EQ(rows[0].by_busy, Limit::memory);
}

}  // namespace
}  // namespace dlview::aggregate
