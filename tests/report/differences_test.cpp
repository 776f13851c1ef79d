#include "report/differences.h"

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "support/sketch.h"

namespace dlview::report {
namespace {

Cell cell(const Table& table, std::size_t row, std::string_view column) {
  for (const Column& candidate : table.columns) {
    if (candidate.id == column) return candidate.cell(row);
  }
  return std::string("no such column");
}

// Iteration 1 runs "conv" 30 ns longer than iteration 0 and alone runs "only"; "same" takes as long
// in both, and so do the iterations: the GPU does nothing for 37 ns less.
class Differences : public ::testing::Test {
 protected:
  Differences() {
    testing::Sketch sketch;
    const auto step = sketch.op("step"), conv = sketch.op("conv", "conv2d");
    const auto same = sketch.op("same"), only = sketch.op("only");
    for (const int64_t at : {0, 1000}) {
      sketch.instance(step, at, at + 5);
      sketch.kernel(sketch.instance(conv, at + 10, at + 20), at + 10, at + (at == 0 ? 30 : 60), 0,
                    "k");
      sketch.kernel(sketch.instance(same, at + 100, at + 110), at + 100, at + 140, 0, "equal");
    }
    sketch.kernel(sketch.instance(only, 1200, 1210), 1200, 1207, 0, "rare");
    sketch.instance(step, 2000, 2005);
    profile_ = sketch.finish();
    const auto aggregation = aggregate::make_cpu_aggregator(profile_)->aggregate(
        {{aggregate::CutKind::start, "step", 0}, {0, 1}});
    comparison_ = std::make_shared<const aggregate::IterationComparison>(
        aggregate::compare_iterations(*profile_, *aggregation.iteration_table, 1, 0));
  }

  std::shared_ptr<const profile::Profile> profile_;
  SharedComparison comparison_;
};

TEST_F(Differences, OfOpsListTheLargestFirstAndWhereOneRunsAlone) {
  const Table table = make_op_differences(*profile_, comparison_);
  ASSERT_EQ(table.row_count, 3U);
  EXPECT_EQ(cell(table, 1, "op_name"), Cell(std::string_view("conv")));
  EXPECT_EQ(cell(table, 1, "op_type"), Cell(std::string_view("conv2d")));
  EXPECT_EQ(cell(table, 1, "time"), Cell(std::string_view("GPU")));
  EXPECT_EQ(cell(table, 1, "ns"), Cell(int64_t{50}));
  EXPECT_EQ(cell(table, 1, "against_ns"), Cell(int64_t{20}));
  EXPECT_EQ(cell(table, 1, "difference_ns"), Cell(int64_t{30}));
  EXPECT_EQ(cell(table, 1, "only_in"), Cell());
  EXPECT_EQ(cell(table, 2, "op_name"), Cell(std::string_view("only")));
  EXPECT_EQ(cell(table, 2, "calls"), Cell(int64_t{1}));
  EXPECT_EQ(cell(table, 2, "against_calls"), Cell(int64_t{0}));
  EXPECT_EQ(cell(table, 2, "only_in"), Cell(int64_t{1}));
}

TEST_F(Differences, HaveGpuIdleAsARowWithoutCalls) {
  const Table table = make_op_differences(*profile_, comparison_);
  EXPECT_EQ(cell(table, 0, "op_id"), Cell(kIdleId));
  EXPECT_EQ(cell(table, 0, "op_name"), Cell(kIdleName));
  EXPECT_EQ(cell(table, 0, "op_type"), Cell(kIdleType));
  EXPECT_EQ(cell(table, 0, "ns"), Cell(int64_t{999 - 97}));
  EXPECT_EQ(cell(table, 0, "difference_ns"), Cell(int64_t{-37}));
  for (const char* column : {"calls", "against_calls", "only_in"}) {
    EXPECT_EQ(cell(table, 0, column), Cell()) << column;
  }
}

TEST_F(Differences, OfKernelsAreByName) {
  const Table table = make_kernel_differences(*profile_, comparison_);
  ASSERT_EQ(table.row_count, 2U);
  EXPECT_EQ(cell(table, 0, "kernel_name"), Cell(std::string_view("k")));
  EXPECT_EQ(cell(table, 0, "difference_ns"), Cell(int64_t{30}));
  EXPECT_EQ(cell(table, 1, "kernel_name"), Cell(std::string_view("rare")));
  EXPECT_EQ(cell(table, 1, "only_in"), Cell(int64_t{1}));
}

TEST_F(Differences, AnIterationAloneInTheOtherIsTold) {
  auto turned = *comparison_;
  std::swap(turned.iteration, turned.baseline);
  for (auto& row : turned.ops) {
    std::swap(row.ns, row.baseline_ns);
    std::swap(row.calls, row.baseline_calls);
  }
  const Table table = make_op_differences(
      *profile_, std::make_shared<const aggregate::IterationComparison>(std::move(turned)));
  EXPECT_EQ(cell(table, 2, "only_in"), Cell(int64_t{1}));
  // On the CPU, where it takes more than on the GPU.
  EXPECT_EQ(cell(table, 2, "time"), Cell(std::string_view("CPU")));
  EXPECT_EQ(cell(table, 2, "difference_ns"), Cell(int64_t{-10}));
}

}  // namespace
}  // namespace dlview::report
