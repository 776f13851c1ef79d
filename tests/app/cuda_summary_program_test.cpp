// The CUDA summary of the real program, on a generated export of Nsight Systems and on a database
// of DLProf.

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "app/run_support.h"
#include "generate/nsys.h"
#include "workspace/state_string.h"

namespace dlview::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Steps that are ranges, on two GPUs.
class CudaSummary : public RunTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (!offscreen_) return;
    path_ = (folder_.path() / "export.sqlite").string();
    base::Progress progress;
    ASSERT_TRUE(generate::generate_nsys(path_, {.iterations = 12, .kernels = 2000, .gpus = 2},
                                        generate::NsysSchema::v2026, progress)
                    .ok());
    open(workspace::file_request(path_, {}, workspace::EngineChoice::automatic));
    ASSERT_EQ(state()["state"], "open");
    must("command view.cuda_summary");
  }

  std::string showing(const std::string& report) {
    return state()["values"].value(report + "/showing", "(none)");
  }
};

TEST_F(CudaSummary, ShowsTheKernelsFirstAndAnyReportOnAClick) {
  EXPECT_EQ(value("cuda_summary/report"), "cuda_gpu_kern_sum");
  EXPECT_THAT(showing("cuda_gpu_kern_sum"), HasSubstr("sorted by Total Time"));
  EXPECT_TRUE(has_item("cuda_gpu_kern_sum/rows/0"));
  for (const char* report :
       {"cuda_gpu_kern_gb_sum", "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum", "cuda_gpu_sum",
        "cuda_gpu_trace", "cuda_api_sum", "cuda_kern_exec_sum", "cuda_api_trace", "nvtx_sum",
        "nvtx_pushpop_sum", "nvtx_kern_sum", "nvtx_gpu_proj_sum", "nvtx_pushpop_trace"}) {
    must(fmt::format("click-item cuda_summary/{}", report));
    EXPECT_EQ(value("cuda_summary/report"), report);
    EXPECT_TRUE(has_item(fmt::format("{}/rows/0", report))) << report;
  }
}

TEST_F(CudaSummary, SaysWhatTheFileLacks) {
  must("click-item cuda_summary/nvtx_startend_sum");
  EXPECT_EQ(value("cuda_summary/none/title"), "No NVTX start/end ranges recorded");
  EXPECT_THAT(value("cuda_summary/none/advice"), HasSubstr("--trace=cuda,nvtx"));
  EXPECT_THAT(tooltip_at("cuda_summary/nvtx_startend_sum"), HasSubstr("CPU"));
}

TEST_F(CudaSummary, FollowsTheRange) {
  must("command range.all\nclick-item cuda_summary/cuda_api_sum\ncommand table.digits");
  EXPECT_EQ(value("cuda_summary/scope"), "whole capture");
  const std::string all = cell("cuda_api_sum", 0, "total_time");
  program().select(program().session().selection().with_range({2, 4}));
  offscreen_->draw_until_settled();
  EXPECT_EQ(value("cuda_summary/scope"), "started in iterations 2–4");
  EXPECT_NE(cell("cuda_api_sum", 0, "total_time"), all);
}

TEST_F(CudaSummary, GoesThroughTheReportsByKeys) {
  must("key Ctrl+PageDown");
  EXPECT_EQ(value("cuda_summary/report"), "cuda_gpu_kern_gb_sum");
  must("key Ctrl+PageUp\nkey Ctrl+PageUp");
  EXPECT_EQ(value("cuda_summary/report"), "nvtx_pushpop_trace");
  must("command view.ops");
  EXPECT_FALSE(state()["commands"]["table.next_report"]);
}

TEST_F(CudaSummary, IsFoundByTheNameOfAReport) {
  must("command view.ops\nkey Ctrl+K\ntype cuda_api_sum\nkey Enter");
  EXPECT_EQ(state()["view"], "cuda_summary");
  EXPECT_EQ(value("cuda_summary/report"), "cuda_api_sum");
}

TEST_F(CudaSummary, AStateStringBringsBackTheReportAndItsTable) {
  must("click-item cuda_summary/cuda_api_sum\nclick-item cuda_api_sum/head/num_calls");
  must("click-item cuda_api_sum/rows/1");
  const Json before = state();
  EXPECT_THAT(before["state_string"].get<std::string>(),
              AllOf(StartsWith("view=cuda_summary,"), HasSubstr(",row.cuda_summary=cuda_api_sum"),
                    HasSubstr(",sort.cuda_api_sum=")));
  const auto request = workspace::parse_state(before["state_string"].get<std::string>());
  ASSERT_TRUE(request.ok()) << base::to_text(request.error());
  must("command view.dashboard");
  open(workspace::file_request(path_, *request, workspace::EngineChoice::automatic));
  EXPECT_EQ(state()["state_string"], before["state_string"]);
  EXPECT_EQ(value("cuda_api_sum/showing"),
            before["values"]["cuda_api_sum/showing"].get<std::string>());
}

TEST_F(CudaSummary, AStateStringKeepsTheTablesThatWereNotDrawnYet) {
  must("click-item cuda_summary/cuda_api_sum\nclick-item cuda_api_sum/head/num_calls");
  must("click-item cuda_summary/nvtx_sum");
  const Json before = state();
  ASSERT_THAT(before["state_string"].get<std::string>(), HasSubstr(",sort.cuda_api_sum="));
  const auto request = workspace::parse_state(before["state_string"].get<std::string>());
  ASSERT_TRUE(request.ok()) << base::to_text(request.error());
  open(workspace::file_request(path_, *request, workspace::EngineChoice::automatic));
  EXPECT_EQ(state()["state_string"], before["state_string"]);
}

TEST_F(CudaSummary, AKernelIsFilteredToAndItsOpsAreShown) {
  choose_in("cuda_gpu_kern_sum", 0, "name", "show");
  EXPECT_EQ(state()["view"], "ops");
  ASSERT_EQ(filters().size(), 1u);
  EXPECT_THAT(filters()[0].get<std::string>(), StartsWith("kernel="));
  must("command view.cuda_summary");
  EXPECT_THAT(value("cuda_summary/scope"), HasSubstr("ignores filters"));
}

TEST_F(CudaSummary, SaysWhyADatabaseOfDlprofHasNone) {
  path_ = (folder_.path() / "run.sqlite").string();
  write_run(path_);
  open(workspace::file_request(path_, {}, workspace::EngineChoice::automatic));
  must("command view.cuda_summary");
  EXPECT_THAT(value("cuda_summary/none/advice"), HasSubstr("nsys_profile.sqlite"));
  EXPECT_TRUE(has_item("page/file.open"));
  EXPECT_FALSE(state()["commands"]["table.next_report"]);
  must("command table.next\ncommand table.copy");
}

}  // namespace
}  // namespace dlview::app
