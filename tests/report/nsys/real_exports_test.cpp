// What `nsys stats` printed for real exports, written again from the same files.

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "base/progress.h"
#include "import/open.h"
#include "report/nsys/csv.h"
#include "report/nsys/reports.h"
#include "support/file_contents.h"
#include "support/test_data.h"

namespace dlview::report::nsys {
namespace {

namespace fs = std::filesystem;

class RealExports : public ::testing::TestWithParam<const char*> {};

TEST_P(RealExports, GiveTheReportsOfNsysStatsToTheByte) {
  DLVIEW_REQUIRE_TEST_DATA();
  const fs::path data = *testing::test_data_folder();
  base::Progress progress;
  const auto profile =
      import::open_profile(data / "nsys" / (std::string(GetParam()) + ".sqlite"), progress);
  ASSERT_TRUE(profile.ok()) << base::to_text(profile.error());
  int compared = 0;
  for (const ReportInfo& report : reports()) {
    if (report.reference == Reference::none) continue;
    SCOPED_TRACE(report.name);
    const fs::path expected = data / "expected" / GetParam() / (std::string(report.name) + ".csv");
    const std::optional<Table> table = make_report(report, {*profile});
    ASSERT_EQ(table.has_value(), fs::exists(expected));
    if (!table) continue;
    std::ostringstream written;
    nsys::write_csv(*table, written);
    // Not EXPECT_EQ: its message would hold both texts, of millions of characters.
    EXPECT_TRUE(written.str() == testing::contents_of(expected));
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

// Each has a text of nsys at least once, and no other report has one.
TEST(RealExportsOfNsys, AreTheReferencesOfReports) {
  DLVIEW_REQUIRE_TEST_DATA();
  for (const ReportInfo& report : reports()) {
    bool is_there = false;
    for (const auto& folder : fs::directory_iterator(*testing::test_data_folder() / "expected")) {
      is_there |= fs::exists(folder.path() / (std::string(report.name) + ".csv"));
    }
    EXPECT_EQ(report.reference == Reference::nsys_2023_4, is_there) << report.name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    NsysStats, RealExports,
    ::testing::Values("2021.2_raw_cuda", "2022.2_mpi_rank0_empty_tables",
                      "2022.4_nvtx_only_304_frames", "2022.4_raw_cuda_8190_kernels",
                      "2022.4_tensorrt_nvtx_layers", "2023.4_dataloader_bound_59_steps",
                      "2023.4_ddp_rank0_of_4xa100_59_steps", "2024.6_cuda_graphs_only",
                      "2024.6_nvfuser_8xh100", "2024.6_pytorch_attention_nvtx",
                      "2025.1_pytorch_transformer_warmup_steps", "2025.3_cupy_44_steps",
                      "2026.2_ddp_2xh100_after", "2026.2_ddp_2xh100_before",
                      "2026.2_pytorch_2xh100_emit_nvtx", "2026.2_windows_attention",
                      "edge_minimal_schema", "edge_two_kernels"),
    [](const auto& test) { return testing::test_name_of(test.param); });

}  // namespace
}  // namespace dlview::report::nsys
