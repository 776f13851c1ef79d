// Real Nsight Systems exports: how each is split into iterations when it opens, and that the engine
// and the slow reference agree on it.

#include <algorithm>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/difference.h"
#include "aggregate/iterations.h"
#include "aggregate/reference/reference.h"
#include "base/progress.h"
#include "import/open.h"
#include "support/test_data.h"

namespace dlview::verify {
namespace {

struct RealExport {
  const char* file;
  const char* key;  // "" = not split
  std::size_t iterations;
  std::size_t kernels;     // whole graphs count as one each
  std::size_t unlaunched;  // of which no call is in the file
};

std::ostream& operator<<(std::ostream& out, const RealExport& exported) {
  return out << exported.file;
}

class RealExports : public ::testing::TestWithParam<RealExport> {
 protected:
  std::shared_ptr<const profile::Profile> open() {
    base::Progress progress;
    auto loaded = import::open_profile(
        *testing::test_data_folder() / "nsys" / (std::string(GetParam().file) + ".sqlite"),
        progress);
    EXPECT_TRUE(loaded.ok()) << base::to_text(loaded.error());
    return std::make_shared<const profile::Profile>(*std::move(loaded));
  }
};

TEST_P(RealExports, OpenSplitIntoIterations) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto profile = open();
  const aggregate::Selection selection = aggregate::default_selection(*profile);
  EXPECT_EQ(selection.cut.key_op, GetParam().key);
  EXPECT_EQ(aggregate::cut_iterations(*profile, selection.cut).rows.size(), GetParam().iterations);
}

TEST_P(RealExports, LoseNoKernel) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto profile = open();
  EXPECT_EQ(profile->kernels.size(), GetParam().kernels);
  std::size_t unlaunched = 0;
  for (const profile::Row instance : profile->kernels.instance) {
    const profile::OpIndex op = profile->instances.op[instance];
    if (profile->text(profile->ops.type[op]) == "no_launch") ++unlaunched;
  }
  EXPECT_EQ(unlaunched, GetParam().unlaunched);
}

TEST_P(RealExports, GiveTheSameNumbersByEngineAndReference) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto profile = open();
  const aggregate::Selection selection = aggregate::default_selection(*profile);
  EXPECT_EQ(aggregate::first_difference(
                aggregate::make_cpu_aggregator(profile)->aggregate(selection),
                aggregate::make_reference_aggregator(profile)->aggregate(selection)),
            "");
}

INSTANTIATE_TEST_SUITE_P(
    Files, RealExports,
    ::testing::Values(RealExport{"2021.2_raw_cuda", "", 1, 12, 0},
                      RealExport{"2022.2_mpi_rank0_empty_tables", "saxpy", 5, 5, 0},
                      RealExport{"2022.4_nvtx_only_304_frames", "reader", 304, 0, 0},
                      RealExport{"2022.4_raw_cuda_8190_kernels", "CUDALAUNCHKERNEL_1", 4096, 8190,
                                 0},
                      RealExport{"2024.6_cuda_graphs_only", "", 1, 40, 0},
                      RealExport{"2024.6_nvfuser_8xh100", "", 1, 19, 0},
                      RealExport{"2024.6_pytorch_attention_nvtx", "", 1, 7328, 0},
                      RealExport{"2025.1_pytorch_transformer_warmup_steps",
                                 "/Run Benchmark/Benchmark Forward Only/Forward", 10, 17032, 0},
                      RealExport{"2025.3_cupy_44_steps", "Step", 44, 3689, 0},
                      RealExport{"2026.2_ddp_2xh100_after", "", 1, 3587, 10},
                      RealExport{"2026.2_ddp_2xh100_before", "", 1, 4010, 24},
                      RealExport{"2026.2_pytorch_2xh100_emit_nvtx", "", 1, 3442, 1810},
                      RealExport{"2026.2_windows_attention", "", 1, 4485, 0},
                      RealExport{"edge_minimal_schema", "CUDALAUNCHKERNEL_1", 201, 400, 1},
                      RealExport{"edge_two_kernels", "", 1, 2, 0}),
    [](const auto& test) { return testing::test_name_of(test.param.file); });

}  // namespace
}  // namespace dlview::verify
