// --split-by as scripts see it.

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/command_support.h"
#include "app/commands/commands.h"
#include "base/progress.h"
#include "generate/capture.h"
#include "generate/dlprof.h"
#include "generate/programs/training.h"
#include "support/test_data.h"
#include "workspace/state_string.h"

namespace dlview::app {
namespace {

using ::testing::HasSubstr;

using Json = nlohmann::json;

class SplitByOption : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new testing::TemporaryFolder;
    write("ahead", generate::programs::play({.runs_ahead = true}).capture);
    write("waits", generate::programs::play({}).capture);
    generate::Capture no_kernels = generate::programs::play({}).capture;
    no_kernels.calls.clear();
    no_kernels.works.clear();
    write("no_kernels", no_kernels);
    base::Progress progress;
    generate::DemoOptions demo;
    demo.iterations = 10;
    demo.kernels = 1'000;
    ASSERT_TRUE(generate::generate_dlprof(path_of("database"), demo, progress).ok());
  }
  static void TearDownTestSuite() { delete folder_; }

  static std::string path_of(const std::string& name) {
    return (folder_->path() / (name + ".sqlite")).string();
  }
  static void write(const std::string& name, const generate::Capture& capture) {
    base::Progress progress;
    ASSERT_TRUE(
        generate::write_capture(capture, generate::NsysSchema::v2026, path_of(name), progress)
            .ok());
  }

  static Outcome dlview(std::vector<std::string> arguments) {
    CLI::App program{"dlview", "dlview"};
    ChosenCommand chosen;
    bind_table(program, chosen);
    bind_info(program, chosen);
    bind_compare(program, chosen);
    bind_report(program, chosen);
    return run_command_line(program, chosen, std::move(arguments));
  }
  static Json iterations(const std::string& name, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"table",    path_of(name), "--table", "iterations_profiled",
                                       "--format", "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = dlview(std::move(arguments));
    EXPECT_EQ(outcome.code, kExitSuccess) << outcome.err;
    return Json::parse(outcome.out);
  }
  static std::vector<int64_t> column(const Json& table, const std::string& name) {
    std::size_t place = 0;
    while (table["columns"][place]["name"] != name) ++place;
    std::vector<int64_t> values;
    for (const Json& row : table["rows"]) values.push_back(row[place]);
    return values;
  }

  static testing::TemporaryFolder* folder_;
};

testing::TemporaryFolder* SplitByOption::folder_ = nullptr;

TEST_F(SplitByOption, IsChosenByHowFarTheHostRunsAhead) {
  EXPECT_EQ(iterations("ahead")["split_by"], "gpu");
  EXPECT_EQ(iterations("waits")["split_by"], "host");
  EXPECT_EQ(iterations("database")["split_by"], "host");
  EXPECT_EQ(iterations("ahead", {"--key-op", "step"})["split_by"], "gpu");
  EXPECT_EQ(iterations("ahead", {"--key-op", ""})["split_by"], "host");
}

TEST_F(SplitByOption, ChangesTimesAndNotLaunches) {
  const Json by_gpu = iterations("ahead"), by_host = iterations("ahead", {"--split-by", "host"});
  EXPECT_EQ(by_host["split_by"], "host");
  for (const char* same : {"iter_value", "total_kernel_count", "using_tc_kernel_count"}) {
    EXPECT_EQ(column(by_gpu, same), column(by_host, same)) << same;
  }
  EXPECT_NE(column(by_gpu, "duration"), column(by_host, "duration"));
  EXPECT_EQ(by_gpu["columns"][5]["title"], "Kernels Launched");
}

TEST_F(SplitByOption, StandsInInfoAndHeadings) {
  EXPECT_THAT(dlview({"info", path_of("ahead")}).out, HasSubstr("gpu"));
  const auto page = [](const std::string& by) {
    return dlview({"table", path_of("ahead"), "--table", "op_nodes", "--format", "html",
                   "--split-by", by})
        .out;
  };
  EXPECT_THAT(page("gpu"), HasSubstr("Iterations 0:29, split by GPU"));
  EXPECT_THAT(page("host"), HasSubstr("Iterations 0:29, split by host"));
}

TEST_F(SplitByOption, TakesTheStartsOfADatabaseFromItsKernels) {
  const Json by_gpu = iterations("database", {"--split-by", "gpu"});
  EXPECT_EQ(by_gpu["split_by"], "gpu");
  EXPECT_NE(column(by_gpu, "start_time"), column(iterations("database"), "start_time"));
}

TEST_F(SplitByOption, OfReportsIsTheHostUnlessNamed) {
  const auto summary = [](std::vector<std::string> more) {
    const testing::TemporaryFolder out;
    std::vector<std::string> arguments{"report",  path_of("ahead"),   "--reports",
                                       "summary", "--formats",        "json",
                                       "-o",      out.path().string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = dlview(std::move(arguments));
    EXPECT_EQ(outcome.code, kExitSuccess) << outcome.err;
    std::ifstream in(out.path() / "dlprof_summary.json");
    return Json::parse(in);
  };
  EXPECT_FALSE(summary({}).contains("split_by"));
  EXPECT_EQ(summary({"--split-by", "gpu"})["split_by"], "gpu");
}

TEST_F(SplitByOption, IsTheSameForTwoFilesThatAreCompared) {
  const auto split = [](std::vector<std::string> more) {
    std::vector<std::string> arguments{"compare", path_of("waits"), path_of("ahead"), "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = dlview(std::move(arguments));
    EXPECT_EQ(outcome.code, kExitSuccess) << outcome.err;
    return Json::parse(outcome.out)["compared"]["split_by"].get<std::string>();
  };
  EXPECT_EQ(split({}), "gpu");
  EXPECT_EQ(split({"--split-by", "host"}), "host");
}

TEST_F(SplitByOption, ComesBackFromAState) {
  const aggregate::Selection selection{
      {.kind = aggregate::CutKind::start, .key_op = "step", .split_by = aggregate::SplitBy::gpu},
      {2, 7}};
  EXPECT_EQ(iterations("waits", {"--state", workspace::state_string("ops", selection)})["split_by"],
            "gpu");
  EXPECT_EQ(iterations("ahead", {"--state", "cut=start,key-op=step"})["split_by"], "host");
}

TEST_F(SplitByOption, SaysWhatCannotBeDone) {
  const auto error = [](const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> arguments{"table", path_of(name), "--table", "op_nodes"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = dlview(std::move(arguments));
    EXPECT_EQ(outcome.code, kExitUnusable);
    return outcome.err;
  };
  EXPECT_THAT(error("ahead", {"--split-by", "cpu"}), HasSubstr("Valid values: host, gpu"));
  EXPECT_THAT(error("no_kernels", {"--split-by", "gpu"}), HasSubstr("No kernel"));
  EXPECT_THAT(error("database", {"--split-by", "gpu", "--cut", "stored"}),
              HasSubstr("split by the host"));
}

}  // namespace
}  // namespace dlview::app
