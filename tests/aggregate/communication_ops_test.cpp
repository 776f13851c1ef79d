// Communication time of ops, against a sum over all kernels.

#include "aggregate/communication_ops.h"

#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "import/open.h"
#include "profile/communication.h"
#include "support/sketch.h"
#include "support/test_data.h"

namespace dlview::aggregate {
namespace {

TEST(CommunicationOps, AreEmptyWithoutCommunicationKernels) {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("relu"), 0, 10), 0, 8);
  const auto profile = sketch.finish();
  const Aggregation aggregation = make_cpu_aggregator(profile)->aggregate({{}, {0, 0}});
  EXPECT_TRUE(communication_of_ops(*profile, aggregation).empty());
}

TEST(CommunicationOps, EqualSumsOverKernels) {
  DLVIEW_REQUIRE_TEST_DATA();
  for (const char* file :
       {"pytorch/param_dlrm_rank0.pt.trace.json.gz", "nsys/2026.2_ddp_2xh100_before.sqlite"}) {
    SCOPED_TRACE(file);
    base::Progress progress;
    auto opened = import::open_profile(*testing::test_data_folder() / file, progress);
    ASSERT_TRUE(opened);
    const auto profile = std::make_shared<const profile::Profile>(std::move(*opened));
    const Aggregation aggregation = make_cpu_aggregator(profile)->aggregate({{}, {0, 0}});
    const Iteration& iteration = aggregation.iteration_table->iterations.rows.front();
    const auto& kernels = profile->kernels;
    std::map<profile::OpIndex, int64_t> expected;
    for (profile::KernelIndex k{0}; k < kernels.size(); ++k) {
      const profile::InstanceIndex instance = kernels.instance[k];
      if (instance < iteration.first_instance || instance >= iteration.last_instance) continue;
      if (!profile::communication_of(profile->text(kernels.name[k]))) continue;
      expected[profile->instances.op[instance]] += kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k];
    }
    EXPECT_FALSE(expected.empty());
    const auto times = communication_of_ops(*profile, aggregation);
    ASSERT_EQ(times.size(), aggregation.ops.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
      EXPECT_EQ(times[i], expected[aggregation.ops[i].op]) << i;
    }
  }
}

TEST(CommunicationOps, CommunicateByMoreThanHalf) {
  OpAggregate op;
  op.kernel_gpu.sum = 10;
  EXPECT_TRUE(communicates(op, 6));
  EXPECT_FALSE(communicates(op, 5));
  EXPECT_FALSE(communicates({}, 0));
}

}  // namespace
}  // namespace dlview::aggregate
