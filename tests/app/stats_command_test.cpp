// `dlview stats` as scripts see it.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/command_support.h"
#include "app/commands/commands.h"
#include "import/nsys/test_export.h"
#include "import/test_database.h"
#include "support/test_data.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kKernelCsv =
    "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
    "100.0,700,2,350.0,350.0,300,400,70.7,void gemm<float>()\n\n";

// Runs `dlview stats DATABASE ARGUMENTS`.
Outcome stats(const fs::path& database, std::vector<std::string> arguments) {
  CLI::App program{"dlview", "dlview"};
  ChosenCommand chosen;
  bind_stats(program, chosen);
  arguments.insert(arguments.begin(), {"stats", database.string()});
  return run_command_line(program, chosen, std::move(arguments));
}

class StatsCommand : public ::testing::Test {
 protected:
  // An export with two kernels, without the names of the kinds of copies.
  fs::path database() const {
    const fs::path path = folder_.path() / "run.sqlite";
    return fs::exists(path) ? path : testing::write_export(path);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(StatsCommand, ListsReportsWithOldNames) {
  const Outcome listed = stats(database(), {"--list"});
  EXPECT_EQ(listed.code, kExitSuccess);
  EXPECT_THAT(listed.out, AllOf(StartsWith("cuda_api_gpu_sum [apigpusum] (not compared with nsys)\n"
                                           "cuda_api_sum [cudaapisum]\n"),
                                HasSubstr("\nnvtx_gpu_proj_sum\n"),
                                HasSubstr("\nosrt_sum [osrtsum] (not compared with nsys)\n")));
}

TEST_F(StatsCommand, PrintsWhatNsysPrints) {
  for (const std::string name : {"cuda_gpu_kern_sum", "gpukernsum"}) {
    const Outcome printed = stats(database(), {"--report", name});
    EXPECT_EQ(printed.code, kExitSuccess) << printed.err;
    EXPECT_EQ(printed.out, kKernelCsv);
  }
}

TEST_F(StatsCommand, PrintsDefaultReportsOfNsys) {
  const Outcome printed = stats(database(), {"--format", "table"});
  EXPECT_EQ(printed.code, kExitSuccess) << printed.err;
  EXPECT_THAT(printed.out, AllOf(HasSubstr("NVTX Range Summary"), HasSubstr("CUDA API Summary"),
                                 HasSubstr("CUDA GPU Kernel Summary")));
}

TEST_F(StatsCommand, CountsStartsInTheRange) {
  const std::string thread = std::to_string(testing::exported_id(70, 71));
  const fs::path path = testing::write_export(
      folder_.path() / "steps.sqlite",
      "INSERT INTO NVTX_EVENTS(start, end, eventType, text, globalTid, domainId) VALUES"
      "  (4000, 6900, 59, 'step 2', " +
          thread +
          ", 0),"
          "  (7000, 8000, 59, 'step 3', " +
          thread + ", 0);");
  const auto steps = [&path](const std::string& iterations) {
    return stats(path,
                 {"--report", "nvtx_pushpop_sum", "--key-op", "step", "--iterations", iterations});
  };
  EXPECT_THAT(steps("1").out,
              AllOf(HasSubstr("step 2"), Not(HasSubstr("step 1")), Not(HasSubstr("step 3"))));
  EXPECT_THAT(steps("1:2").out, AllOf(HasSubstr("step 2"), HasSubstr("step 3")));
  EXPECT_EQ(steps("9").code, kExitUnusable);
}

TEST_F(StatsCommand, NamesEmptyReports) {
  const Outcome printed =
      stats(database(), {"--report", "cuda_gpu_mem_time_sum,cuda_gpu_kern_sum"});
  EXPECT_EQ(printed.code, kExitSuccess);
  EXPECT_EQ(printed.out, kKernelCsv);
  EXPECT_THAT(printed.err, StartsWith("SKIPPED: cuda_gpu_mem_time_sum: " + database().string() +
                                      " does not contain CUDA memcpys or memsets "));
}

TEST_F(StatsCommand, FailsWhenAllReportsAreEmpty) {
  const std::vector<std::string> none{"--report", "cuda_gpu_mem_time_sum"};
  const auto printed = [&](std::vector<std::string> more) {
    more.insert(more.begin(), none.begin(), none.end());
    return stats(database(), more);
  };
  EXPECT_EQ(printed({}).code, kExitNothing);
  EXPECT_THAT(printed({}).out, IsEmpty());
  EXPECT_EQ(printed({"--format", "json"}).code, kExitNothing);
  EXPECT_EQ(printed({"--format", "json"}).out, "[]\n");
  const fs::path file = folder_.path() / "none.csv";
  EXPECT_EQ(printed({"-o", file.string()}).code, kExitNothing);
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(StatsCommand, TreatsAllIterationsAsTheCapture) {
  const std::vector<std::string> report{"--report", "nvtx_pushpop_sum", "--key-op", "step"};
  std::vector<std::string> all = report;
  all.insert(all.end(), {"--iterations", "0:0"});
  EXPECT_THAT(stats(database(), report).out, HasSubstr("step 1"));
  EXPECT_EQ(stats(database(), all).out, stats(database(), report).out);
}

TEST_F(StatsCommand, WritesOneFileOrAFolder) {
  const fs::path file = folder_.path() / "kernels.csv", folder = folder_.path() / "out";
  ASSERT_EQ(stats(database(), {"--report", "gpukernsum", "-o", file.string()}).code, kExitSuccess);
  EXPECT_EQ(testing::contents_of(file), kKernelCsv);

  const Outcome written = stats(database(), {"--report", "gpukernsum,cuda_api_sum", "--format",
                                             "json", "--output-dir", folder.string()});
  ASSERT_EQ(written.code, kExitSuccess) << written.err;
  EXPECT_EQ(written.out, (folder / "cuda_gpu_kern_sum.json").string() + "\n" +
                             (folder / "cuda_api_sum.json").string() + "\n");
  EXPECT_THAT(testing::contents_of(folder / "cuda_api_sum.json"),
              HasSubstr("\"cudaLaunchKernel\""));

  const Outcome refused = stats(database(), {"--report", "gpukernsum", "-o", database().string()});
  EXPECT_EQ(refused.code, kExitUnusable);
  EXPECT_THAT(refused.err, HasSubstr("would overwrite the profile"));
}

TEST_F(StatsCommand, WritesSeveralOutputsInOneRun) {
  const fs::path csv = folder_.path() / "kernels.csv", page = folder_.path() / "calls.html",
                 piped = folder_.path() / "piped,too.txt";
  const Outcome written =
      stats(database(), {"--report", "gpukernsum,cuda_api_sum,osrt_sum,nvtx_sum", "--format",
                         "csv,hdoc,column,tsv", "-o", csv.string() + "," + page.string() + ",-",
                         "-o", "@cat > '" + piped.string() + "'"});
  ASSERT_EQ(written.code, kExitSuccess) << written.err;
  EXPECT_EQ(testing::contents_of(csv), kKernelCsv);
  EXPECT_THAT(testing::contents_of(page), StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(written.out, StartsWith(" ** OS Runtime Summary (osrt_sum):\n"));
  EXPECT_THAT(testing::contents_of(piped), StartsWith("Time (%)\tTotal Time (ns)\tInstances\t"));
}

TEST_F(StatsCommand, RepeatsTheLastFormatAndOutput) {
  const fs::path all = folder_.path() / "all.txt";
  const Outcome written = stats(database(), {"--report", "gpukernsum,osrt_sum,cuda_api_sum",
                                             "--format", "csv,tsv", "-o", all.string()});
  ASSERT_EQ(written.code, kExitSuccess) << written.err;
  EXPECT_THAT(testing::contents_of(all), StartsWith(kKernelCsv));
  EXPECT_THAT(testing::contents_of(all),
              AllOf(HasSubstr("\tread\n"), HasSubstr("\tcudaLaunchKernel\n")));
}

TEST_F(StatsCommand, TellsOfACommandThatFails) {
  const Outcome failed = stats(database(), {"--report", "gpukernsum", "-o", "@exit 3"});
  EXPECT_EQ(failed.code, kExitUnusable);
  EXPECT_THAT(failed.err, HasSubstr("The command failed"));
}

TEST_F(StatsCommand, PrintsTimesInAnotherUnit) {
  const Outcome printed = stats(database(), {"--report", "gpukernsum", "--timeunit", "us"});
  ASSERT_EQ(printed.code, kExitSuccess) << printed.err;
  EXPECT_THAT(printed.out, HasSubstr("Total Time (us)"));
  EXPECT_THAT(printed.out, HasSubstr("\n100.0,0.700,2,0.350,0.350,0.300,0.400,0.071,void gemm"));
  const Outcome json =
      stats(database(), {"--report", "gpukernsum", "--timeunit", "us", "--format", "json"});
  EXPECT_THAT(json.out, AllOf(HasSubstr("\"ns\""), HasSubstr("700")));
  EXPECT_THAT(stats(database(), {"--report", "gpukernsum", "--timeunit", "min"}).err,
              HasSubstr("Valid values: ns, us, ms, s"));
}

TEST_F(StatsCommand, AlignsATableUnderItsTitle) {
  const Outcome printed = stats(database(), {"--report", "nvtx_kern_sum", "--format", "table"});
  ASSERT_EQ(printed.code, kExitSuccess) << printed.err;
  EXPECT_THAT(printed.out, StartsWith("NVTX Range Kernel Summary\nNVTX Range"));
  EXPECT_THAT(printed.out, Not(HasSubstr("not recorded")));
}

TEST_F(StatsCommand, RefusesWhatItCannotDo) {
  const std::vector<std::string> kernels{"--report", "gpukernsum"};
  const auto refusal = [&](std::vector<std::string> more) {
    more.insert(more.begin(), kernels.begin(), kernels.end());
    const Outcome outcome = stats(database(), more);
    EXPECT_EQ(outcome.code, kExitUnusable);
    EXPECT_THAT(outcome.out, IsEmpty());
    return outcome.err;
  };
  EXPECT_THAT(refusal({"--format", "xlsx"}), HasSubstr("Valid values: csv, tsv, column"));
  EXPECT_THAT(refusal({"--only", "device=0"}), HasSubstr("do not support filters"));
  EXPECT_THAT(refusal({"--output-dir", "x", "-o", "y"}), HasSubstr("excludes"));
  EXPECT_THAT(stats(database(), {"--format", "json"}).err, HasSubstr("without --report"));
  EXPECT_THAT(stats(database(), {"--report", "gpukernsum,nvtxsum", "--format", "json"}).err,
              HasSubstr("JSON needs one file per report"));
}

TEST_F(StatsCommand, HelpOmitsRefusedFilters) {
  const std::string help = stats(database(), {"--help"}).out;
  EXPECT_THAT(help, HasSubstr("--iterations"));
  EXPECT_THAT(help, Not(HasSubstr("--only")));
}

TEST_F(StatsCommand, NeedsAnExport) {
  const fs::path dlprof = folder_.path() / "dlprof.sqlite";
  testing::write_dlprof_database(dlprof);
  const Outcome refused = stats(dlprof, {"--report", "cuda_api_sum"});
  EXPECT_EQ(refused.code, kExitUnusable);
  EXPECT_THAT(refused.err, HasSubstr("need an Nsight Systems export or a PyTorch trace"));
}

}  // namespace
}  // namespace dlview::app
