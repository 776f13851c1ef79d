#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/instance_times.h"
#include "support/random_profile.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using profile::KernelIndex;
using profile::OpIndex;
using profile::Row;

TEST(KernelsByOp, AddUpWhatTheInstancesOfAnIterationLaunch) {
  testing::Sketch sketch;
  const Row step = sketch.op("step");
  const OpIndex gemm(sketch.op("gemm"));
  const OpIndex other(sketch.op("other"));
  sketch.instance(step, 5, 6);
  const Row first = sketch.instance(other, 10, 20);
  sketch.kernel(first, 12, 20);
  const Row second = sketch.instance(gemm, 30, 40);
  sketch.kernel(second, 31, 36, 0, "a", true);
  sketch.kernel(second, 33, 40, 0, "b");  // overlaps: counted in full
  const Row third = sketch.instance(gemm, 50, 60);
  sketch.kernel(third, 500, 510, 0, "a", true);  // runs in the next iteration, counts in this one
  sketch.instance(step, 100, 101);
  const auto profile = sketch.finish();
  const Iterations iterations = cut_iterations(*profile, {CutKind::start, "step", 0});
  ASSERT_EQ(iterations.rows.size(), 3u);  // the first ends where the first step starts

  const Iteration& with_kernels = iterations.rows[1];
  EXPECT_EQ(kernels_of(*profile, with_kernels), (KernelRows{KernelIndex{0}, KernelIndex{4}}));
  const std::vector<OpKernels> expected{{gemm, {3, 2, 5 + 7 + 10, 5 + 10}}, {other, {1, 0, 8, 0}}};
  EXPECT_EQ(kernels_by_op(*profile, with_kernels), expected);
  EXPECT_TRUE(kernels_by_op(*profile, iterations.rows[2]).empty());
}

TEST(KernelsByOp, AddUpWhatAFilterCounts) {
  testing::Sketch sketch;
  const OpIndex gemm(sketch.op("gemm"));
  const OpIndex other(sketch.op("other"));
  const Row first = sketch.instance(gemm, 0, 40);
  sketch.kernel(first, 31, 36, 0, "a", true);
  sketch.kernel(first, 37, 40, 0, "b");
  sketch.kernel(sketch.instance(other, 50, 60), 52, 59, 0, "b");
  const auto profile = sketch.finish();
  const Iterations iterations = cut_iterations(*profile, {CutKind::start, "", 0});
  ASSERT_EQ(iterations.rows.size(), 1u);

  const RowFilter tensor_cores(*profile, {{.kind = FilterKind::tensor_core, .number = 1}});
  EXPECT_EQ(kernels_by_op(*profile, iterations.rows[0], &tensor_cores),
            (std::vector<OpKernels>{{gemm, {1, 1, 5, 5}}}));
  const RowFilter name(*profile, {{.kind = FilterKind::kernel, .text = "b"}});
  EXPECT_EQ(kernels_by_op(*profile, iterations.rows[0], &name),
            (std::vector<OpKernels>{{gemm, {1, 0, 3, 0}}, {other, {1, 0, 7, 0}}}));
}

TEST(KernelsByOp, HoldEachKernelOfARandomRunInOneIterationAndOneOp) {
  const profile::Profile profile = testing::random_profile();
  const Cut cut{CutKind::start, std::string(profile.text(profile.ops.id[0])), 0};
  const Iterations iterations = cut_iterations(profile, cut);
  ASSERT_GT(iterations.rows.size(), 1u);
  Row next = 0;
  KernelTotals all;
  for (const Iteration& iteration : iterations.rows) {
    const KernelRows rows = kernels_of(profile, iteration);
    EXPECT_EQ(rows.first, next);
    next = rows.last;
    int64_t count = 0;
    for (const OpKernels& op : kernels_by_op(profile, iteration)) {
      count += op.totals.count;
      all += op.totals;
    }
    EXPECT_EQ(count, rows.last - rows.first);
  }
  EXPECT_EQ(next, profile.kernels.size());
  int64_t gpu_ns = 0;
  for (Row k = 0; k < next; ++k) {
    gpu_ns += profile.kernels.gpu_stop_ns[k] - profile.kernels.gpu_start_ns[k];
  }
  EXPECT_EQ(all.gpu_ns, gpu_ns);
  EXPECT_GT(all.tensor_core_count, 0);
}

}  // namespace
}  // namespace dlview::aggregate
