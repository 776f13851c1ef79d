// `dlview table` as scripts see it.

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/command_support.h"
#include "app/commands/commands.h"
#include "base/progress.h"
#include "generate/dlprof.h"
#include "generate/pytorch.h"
#include "report/views/views.h"
#include "support/file_contents.h"
#include "support/test_data.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) found.push_back(line);
  return found;
}

class TableCommand : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new testing::TemporaryFolder;
    generate::DemoOptions demo;
    demo.iterations = 10;
    demo.kernels = 1'000;
    demo.gpus = 2;
    base::Progress progress;
    ASSERT_TRUE(generate::generate_dlprof(database(), demo, progress).ok());
  }
  static void TearDownTestSuite() { delete folder_; }
  static fs::path database() { return folder_->path() / "run.sqlite"; }

  // Runs `dlview table DATABASE ARGUMENTS`.
  static Outcome table(std::vector<std::string> arguments) {
    return table_of(database(), std::move(arguments));
  }
  static Outcome table_of(const fs::path& file, std::vector<std::string> arguments) {
    CLI::App program{"dlview", "dlview"};
    ChosenCommand chosen;
    bind_table(program, chosen);
    arguments.insert(arguments.begin(), {"table", file.string()});
    return run_command_line(program, chosen, std::move(arguments));
  }

  static testing::TemporaryFolder* folder_;
};

testing::TemporaryFolder* TableCommand::folder_ = nullptr;

// A header and a rule come first.
TEST_F(TableCommand, ListsTablesWithTitleAndHelp) {
  const Outcome listed = table({"--list"});
  EXPECT_EQ(listed.code, kExitSuccess);
  const auto rows = lines(listed.out);
  ASSERT_EQ(rows.size(), 72U);
  EXPECT_THAT(rows[0], ::testing::MatchesRegex("Name +Title +Rows"));
  const auto views = report::views();
  ASSERT_EQ(views.size(), 70U);
  const std::size_t title_at = rows[0].find("Title"), help_at = rows[0].find("Rows");
  for (std::size_t i = 0; i < views.size(); ++i) {
    EXPECT_THAT(rows[i + 2], StartsWith(std::string(views[i].name) + " "));
    EXPECT_EQ(rows[i + 2].substr(title_at, views[i].title.size()), views[i].title);
    EXPECT_EQ(rows[i + 2].substr(help_at), views[i].help);
  }
}

TEST_F(TableCommand, ListsTablesForScripts) {
  const auto csv = lines(table({"--list", "--format", "csv"}).out);
  ASSERT_EQ(csv.size(), 71U);
  EXPECT_EQ(csv[0], "name,title,help");
  EXPECT_EQ(
      csv[1],
      "advice,Advice on limits,One row per op and piece of advice: what follows from its limit");
  const auto json = nlohmann::json::parse(table({"--list", "--format", "json"}).out);
  EXPECT_EQ(json["rows"].size(), 70U);
  EXPECT_EQ(json["rows"][0][0], "advice");
  const Outcome refused = table({"--list", "--format", "xlsx"});
  EXPECT_EQ(refused.code, kExitUnusable);
  EXPECT_THAT(refused.err, HasSubstr("xlsx is not a text format"));
}

TEST_F(TableCommand, ListsTablesWithoutAFile) {
  CLI::App program{"dlview", "dlview"};
  ChosenCommand chosen;
  bind_table(program, chosen);
  const Outcome listed = run_command_line(program, chosen, {"table", "--list"});
  EXPECT_EQ(listed.code, kExitSuccess) << listed.err;
  EXPECT_EQ(lines(listed.out).size(), 72U);
}

TEST_F(TableCommand, PrintsCsvOfEveryTable) {
  for (const report::ViewInfo& view : report::views()) {
    if (view.needs != report::ViewNeeds::any_profile) continue;
    const Outcome printed = table({"--table", std::string(view.name)});
    EXPECT_EQ(printed.code, kExitSuccess) << printed.err;
    // Only with counters.
    const std::size_t least = view.name == "ncu_metrics" ? 1 : 2;
    EXPECT_GE(lines(printed.out).size(), least) << view.name;
  }
  EXPECT_THAT(table({"--table", "iterations_all"}).out,
              StartsWith("aggr_id,iter_value,start_time,stop_time,duration\n1,0,0,"));
}

TEST_F(TableCommand, ReadsPythonFramesForStacks) {
  generate::PytorchOptions options;
  options.kernels = 200;
  options.iterations = 2;
  options.with_stack = true;
  base::Progress progress;
  const fs::path trace = folder_->path() / "trace.json";
  const auto truth = generate::generate_pytorch(trace, options, progress);
  ASSERT_TRUE(truth);
  const Outcome stacks = table_of(trace, {"--table", "stacks"});
  ASSERT_EQ(stacks.code, kExitSuccess) << stacks.err;
  EXPECT_THAT(stacks.out, StartsWith("frame,frame_calls,cpu_time_total,cpu_time_self,"
                                     "gpu_time_total,gpu_time_self\n"));
  for (const auto& [name, module] : truth->modules) {
    EXPECT_THAT(stacks.out, HasSubstr("\n" + name + "," + std::to_string(module.calls) + "," +
                                      std::to_string(module.host_total_ns) + ","));
  }
  const Outcome hidden = table_of(trace, {"--table", "stack_tree", "--hide-internal-frames"});
  EXPECT_EQ(hidden.code, kExitSuccess) << hidden.err;
  EXPECT_THAT(hidden.out, HasSubstr("nn.Module: "));
  EXPECT_THAT(hidden.out, ::testing::Not(HasSubstr("<built-in")));
}

TEST_F(TableCommand, RefusesStacksWithoutPythonFrames) {
  const Outcome stacks = table({"--table", "stacks"});
  EXPECT_NE(stacks.code, kExitSuccess);
  EXPECT_THAT(stacks.err, HasSubstr("No Python frames recorded"));
}

TEST_F(TableCommand, FiltersSearchesAndSorts) {
  const auto all = lines(table({"--table", "iteration_kernels"}).out);
  EXPECT_EQ(all.size(), 1'001U);
  const Outcome some =
      table({"--table", "iteration_kernels", "--filter", "uses_tc=1", "--filter", "iter_value=2..4",
             "--search", "GEMM", "--sort", "iter_value:desc,kernel_duration"});
  ASSERT_EQ(some.code, kExitSuccess) << some.err;
  const auto rows = lines(some.out);
  ASSERT_GT(rows.size(), 2U);
  EXPECT_LT(rows.size(), all.size());
  EXPECT_THAT(rows[1], StartsWith("1,default-domain,4,"));
  EXPECT_THAT(rows.back(), StartsWith("1,default-domain,2,"));
}

TEST_F(TableCommand, SelectsIterationAndOp) {
  const auto kernels = lines(table({"--table", "iteration_op_kernels", "--iteration", "3"}).out);
  ASSERT_GT(kernels.size(), 2U);
  const std::string op = lines(table({"--table", "iteration_ops", "--iteration", "3"}).out).back();
  const std::string op_id = op.substr(op.rfind(',') + 1);
  const Outcome narrowed =
      table({"--table", "iteration_op_kernels", "--iteration", "3", "--op", op_id});
  ASSERT_EQ(narrowed.code, kExitSuccess) << narrowed.err;
  const auto rows = lines(narrowed.out);
  ASSERT_GT(rows.size(), 1U);
  EXPECT_LT(rows.size(), kernels.size());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_THAT(rows[i], StartsWith("1,default-domain,3," + op_id + ","));
  }
}

TEST_F(TableCommand, TakesTheCommonSelection) {
  const Outcome range = table({"--table", "iterations_profiled", "--iterations", "2:4"});
  EXPECT_EQ(lines(range.out).size(), 4U);
  EXPECT_THAT(lines(range.out)[1], StartsWith(",default-domain,2,")) << "no stored aggregation";
  const Outcome filtered =
      table({"--table", "op_nodes", "--only", "eligible=1", "--filter", "tc_eligible=0"});
  EXPECT_EQ(lines(filtered.out).size(), 1U) << filtered.err;
}

TEST_F(TableCommand, ChoosesTheFormatByExtension) {
  const fs::path file = folder_->path() / "ops.xlsx";
  const Outcome written = table({"--table", "op_nodes", "-o", file.string()});
  EXPECT_EQ(written.code, kExitSuccess) << written.err;
  EXPECT_THAT(written.out, IsEmpty());
  const std::string bytes = testing::contents_of(file);
  EXPECT_THAT(bytes, StartsWith("PK"));
  EXPECT_THAT(table({"--table", "op_nodes", "--format", "html"}).out,
              HasSubstr("synthetic ResNet · Iterations 0:10"));
}

TEST_F(TableCommand, SaysWhatCannotBeDone) {
  const auto error = [](std::vector<std::string> arguments) {
    const Outcome outcome = table(std::move(arguments));
    EXPECT_EQ(outcome.code, kExitUnusable);
    EXPECT_THAT(outcome.out, IsEmpty());
    return outcome.err;
  };
  EXPECT_THAT(error({}), HasSubstr("--table or --list is required"));
  EXPECT_THAT(error({"--table", "ops"}), HasSubstr("Unknown table: \"ops\""));
  EXPECT_THAT(error({"--table", "kernels"}),
              HasSubstr("Similar: gpu_metrics_by_kernel, iteration_kernels, "));
  EXPECT_THAT(error({"--table", "op_nodes", "--format", "pdf"}), HasSubstr("-o op_nodes.pdf"));
  EXPECT_THAT(error({"--table", "op_nodes", "--format", "doc"}), HasSubstr("Unknown format"));
  EXPECT_THAT(error({"--table", "op_nodes", "--filter", "gpu_time>1"}), HasSubstr("COLUMN=TEXT"));
  EXPECT_THAT(error({"--table", "op_nodes", "--filter", "gpu_time=soon"}),
              HasSubstr("\"soon\" is neither a number"));
  EXPECT_THAT(error({"--table", "op_nodes", "--filter", "op_node_name=/(/"}),
              HasSubstr("missing )"));
  EXPECT_THAT(error({"--table", "op_nodes", "--sort", "size"}),
              HasSubstr("Unknown column: \"size\""));
  EXPECT_THAT(error({"--table", "op_nodes", "--op", "no such"}),
              HasSubstr("no op has the id or name \"no such\""));
  EXPECT_THAT(error({"--table", "iteration_kernels", "--iterations", "2:4", "--iteration", "7"}),
              HasSubstr("iteration_kernels covers 2:4"));
  EXPECT_THAT(error({"--table", "op_nodes", "--format", "csv", "-o", database().string()}),
              HasSubstr("would overwrite the profile"));
}

TEST_F(TableCommand, WritesWhatEachChangeGains) {
  const Outcome outcome = table({"--table", "what_if"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<std::string> found = lines(outcome.out);
  ASSERT_GT(found.size(), 5U);
  EXPECT_EQ(found[0],
            "change,change_id,op_node_id,op_node_name,gain_at_most,gain_at_most_pct,iteration_now,"
            "iteration_at_least,"
            "iteration_at_most");
  EXPECT_THAT(outcome.out, HasSubstr("No exposed copies,memory,"));
}

TEST_F(TableCommand, PutsChangesTogether) {
  const Outcome outcome = table(
      {"--table", "what_if", "--if", "memory", "--if", "part=other_kernels:2", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json rows = nlohmann::json::parse(outcome.out)["rows"];
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[2][0], "All of these");
  const auto gain = [&](std::size_t row) { return rows[row][4].get<int64_t>(); };
  EXPECT_GT(gain(0), 0);
  EXPECT_NEAR(static_cast<double>(gain(2)), static_cast<double>(gain(0) + gain(1)), 2);
}

TEST_F(TableCommand, NamesOpsOfChanges) {
  const nlohmann::json all =
      nlohmann::json::parse(table({"--table", "what_if", "--format", "json"}).out)["rows"];
  int ops = 0;
  for (const nlohmann::json& row : all) {
    const auto id = row[1].get<std::string>();
    if (!id.starts_with("op=")) continue;
    ++ops;
    EXPECT_EQ(id, "op=" + row[2].get<std::string>() + ":2");
    EXPECT_NE(row[3].get<std::string>(), "");
  }
  EXPECT_GT(ops, 0);
}

TEST_F(TableCommand, RefusesUnknownChanges) {
  EXPECT_THAT(table({"--table", "what_if", "--if", "magic"}).err,
              HasSubstr("Invalid change: \"magic\""));
  EXPECT_THAT(table({"--table", "what_if", "--if", "op=nowhere:2"}).err,
              HasSubstr("Nothing matches --if op=nowhere:2"));
  const Outcome slower = table({"--table", "what_if", "--if", "part=other_kernels:0.5"});
  EXPECT_EQ(slower.code, 2);
  EXPECT_THAT(slower.err, HasSubstr("Use a factor from 1 to 1000"));
  EXPECT_THAT(table({"--table", "op_nodes", "--if", "memory"}).err,
              HasSubstr("Only the table what_if has changes"));
}

TEST_F(TableCommand, ListsExclusiveTimesThatAddUp) {
  const Outcome outcome = table({"--table", "exclusive_times", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  double percent = 0;
  for (const nlohmann::json& row : json["rows"]) percent += row[7].get<double>();
  EXPECT_NEAR(percent, 100, 1e-6);
}

}  // namespace
}  // namespace dlview::app
