// The subcommands as scripts see them: exit codes, what is printed, which files are written.

#include "app/commands/commands.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include "app/command_support.h"
#include "generate/demo.h"
#include "support/file_contents.h"
#include "support/test_data.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Runs `dlview ARGUMENTS`.
Outcome dlview(std::vector<std::string> arguments) {
  CLI::App program{"dlview", "dlview"};
  ChosenCommand chosen;
  bind_info(program, chosen);
  bind_verify(program, chosen);
  bind_report(program, chosen);
  bind_generate(program, chosen);
  return run_command_line(program, chosen, std::move(arguments));
}

void change(const std::string& path, const char* sql) {
  sqlite3* connection = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &connection), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(connection, sql, nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(connection);
  sqlite3_close(connection);
}

// 20 steps, so 21 iterations, generated once for all tests.
const std::string& database() {
  static const testing::TemporaryFolder folder;
  static const std::string path = [] {
    std::string file = (folder.path() / "run.sqlite").string();
    const Outcome made =
        dlview({"generate", file, "--iterations", "20", "--kernels", "3000", "--gpus", "2"});
    EXPECT_EQ(made.code, kExitSuccess) << made.err;
    return file;
  }();
  return path;
}

class Commands : public ::testing::Test {
 protected:
  std::string in_folder(const char* name) const { return (folder_.path() / name).string(); }

  // `dlview report` on the database, into the folder "out".
  Outcome report(std::vector<std::string> more) const {
    std::vector<std::string> arguments{"report", database(), "--output-dir", in_folder("out")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return dlview(arguments);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(Commands, VerifySucceedsOnAGeneratedDatabase) {
  const Outcome outcome = dlview({"verify", database()});
  EXPECT_EQ(outcome.code, kExitSuccess) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("kernel_iteration_node"));
  EXPECT_THAT(outcome.out, HasSubstr("All values match."));
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST_F(Commands, VerifyFailsForAChangedValue) {
  const std::string changed = in_folder("changed.sqlite");
  fs::copy_file(database(), changed);
  change(changed, "UPDATE op_type_metrics SET num_calls = 99 WHERE id = 1");
  const Outcome outcome = dlview({"verify", changed});
  EXPECT_EQ(outcome.code, kExitDifferences);
  EXPECT_THAT(outcome.out, HasSubstr("num_calls: stored \"99\""));
}

TEST_F(Commands, VerifyComparesReportsCellByCell) {
  ASSERT_EQ(report({}).code, kExitSuccess);
  const Outcome equal = dlview({"verify", database(), "--reports-dir", in_folder("out")});
  EXPECT_EQ(equal.code, kExitSuccess) << equal.out;
  EXPECT_THAT(equal.out, HasSubstr("byte for byte identical"));

  const fs::path file = folder_.path() / "out" / "dlprof_summary.csv";
  std::string text = testing::contents_of(file);
  text.replace(text.find("Total Iterations,21"), 19, "Total Iterations,22");
  std::ofstream(file, std::ios::binary) << text;
  fs::remove(folder_.path() / "out" / "dlprof_kernel.csv");
  const Outcome changed = dlview({"verify", database(), "--reports-dir", in_folder("out")});
  EXPECT_EQ(changed.code, kExitDifferences);
  EXPECT_THAT(changed.out, HasSubstr("stored \"22\", recomputed \"21\""));
  EXPECT_THAT(changed.out, ::testing::ContainsRegex("dlprof_kernel.csv +0 +0  missing"));
  EXPECT_THAT(changed.out, HasSubstr("Not compared:\n  dlprof_kernel.csv\n"));
}

TEST_F(Commands, VerifyRejectsMissingReportsAndFiles) {
  const Outcome no_reports =
      dlview({"verify", database(), "--reports-dir", folder_.path().string()});
  EXPECT_EQ(no_reports.code, kExitUnusable);
  EXPECT_THAT(no_reports.err, HasSubstr("No DLProf report in the folder"));
  const Outcome no_file = dlview({"verify", in_folder("none.sqlite")});
  EXPECT_EQ(no_file.code, kExitUnusable);
  EXPECT_THAT(no_file.out, IsEmpty());
  EXPECT_THAT(no_file.err, HasSubstr("none.sqlite"));
}

TEST_F(Commands, VerifyExplainsABadReportsFolder) {
  const auto refused = [](const std::string& folder) {
    const Outcome outcome = dlview({"verify", database(), "--reports-dir", folder});
    EXPECT_EQ(outcome.code, kExitUnusable);
    return outcome.err;
  };
  EXPECT_THAT(refused(in_folder("none")), HasSubstr("none: No such file or directory"));
  EXPECT_THAT(refused(database()), HasSubstr("it is a file, not a folder"));
  fs::create_directories(folder_.path() / "dlprof_kernel.csv");
  EXPECT_THAT(refused(folder_.path()), HasSubstr("dlprof_kernel.csv: it is not a regular file"));
}

TEST_F(Commands, ReportWritesAndNamesFiles) {
  const Outcome outcome = report({"--reports", "kernel,op_type", "--formats", "csv,json"});
  EXPECT_EQ(outcome.code, kExitSuccess) << outcome.err;
  const std::string out = in_folder("out");
  EXPECT_EQ(outcome.out, out + "/dlprof_kernel.csv\n" + out + "/dlprof_kernel.json\n" + out +
                             "/dlprof_op_type.csv\n" + out + "/dlprof_op_type.json\n");
  const auto json = nlohmann::json::parse(testing::contents_of(out + "/dlprof_kernel.json"));
  EXPECT_EQ(json["report"], "kernel");
  EXPECT_EQ(json["iterations"], (nlohmann::json{0, 20}));
  EXPECT_GT(json["rows"].size(), 10u);
}

TEST_F(Commands, ReportTakesRangeMarkerAndCut) {
  ASSERT_EQ(report({"--reports", "summary", "--iterations", "3:7"}).code, kExitSuccess);
  const std::string summary = in_folder("out") + "/dlprof_summary.csv";
  EXPECT_THAT(testing::contents_of(summary),
              HasSubstr("Aggregated Iterations,5\nStart Iteration,3\nStop "
                        "Iteration,7\n"));
  const std::string start = testing::contents_of(summary);
  ASSERT_EQ(report({"--reports", "summary", "--iterations", "3:7", "--cut", "end"}).code,
            kExitSuccess);
  EXPECT_NE(testing::contents_of(summary), start);
  const std::string key_op = generate::demo_key_op(generate::Framework::pytorch);
  ASSERT_EQ(report({"--reports", "summary", "--iterations", "3:7", "--key-op", key_op}).code,
            kExitSuccess);
  EXPECT_EQ(testing::contents_of(summary), start);
}

TEST_F(Commands, ReportDoesNotSplitWithoutMarker) {
  const std::string summary = in_folder("out") + "/dlprof_summary.csv";
  ASSERT_EQ(report({"--reports", "summary", "--key-op", ""}).code, kExitSuccess);
  EXPECT_THAT(testing::contents_of(summary),
              HasSubstr("Total Iterations,1\nAggregated Iterations,1\n"));
  ASSERT_EQ(report({"--reports", "summary", "--key-op", "", "--cut", "end"}).code, kExitSuccess);
  EXPECT_THAT(testing::contents_of(summary), HasSubstr("Total Iterations,1\n"));
  EXPECT_THAT(report({"--key-op", "", "--iterations", "0:1"}).err, HasSubstr("0:0"));
  EXPECT_THAT(report({"--key-op", "", "--cut", "stored"}).err, HasSubstr("--cut stored"));
  EXPECT_THAT(dlview({"report", "--help"}).out, HasSubstr("do not split"));
}

TEST_F(Commands, ReportNamesValidValues) {
  const auto refused = [this](std::vector<std::string> arguments) {
    const Outcome outcome = report(std::move(arguments));
    EXPECT_EQ(outcome.code, kExitUnusable);
    EXPECT_FALSE(fs::exists(in_folder("out")));
    return outcome.err;
  };
  EXPECT_THAT(refused({"--reports", "kernels"}), HasSubstr("op_type, group_op, expert_systems"));
  EXPECT_THAT(refused({"--formats", "xml"}), HasSubstr("csv, json"));
  EXPECT_THAT(refused({"--iterations", "5:21"}), HasSubstr("0:20"));
  EXPECT_THAT(refused({"--iterations", "7:3"}), HasSubstr("--iterations"));
  EXPECT_THAT(refused({"--iterations", "3-7"}), HasSubstr("--iterations"));
  EXPECT_THAT(refused({"--cut", "middle"}), HasSubstr("stored"));
  EXPECT_THAT(refused({"--key-op", "no such op"}), HasSubstr("no such op"));
}

TEST_F(Commands, InfoTellsVersionsCountsAndAggregations) {
  const Outcome outcome = dlview({"info", database()});
  EXPECT_EQ(outcome.code, kExitSuccess);
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("Kernels +3,000\n"));
  EXPECT_THAT(outcome.out, HasSubstr("Stored aggregations"));
  EXPECT_THAT(outcome.out,
              HasSubstr("Best iteration markers (--key-op), by score. Among scores within 5%, "));
  EXPECT_THAT(outcome.out, HasSubstr("1.8.0"));
}

TEST_F(Commands, InfoPrintsTheSameAsJson) {
  const Outcome outcome = dlview({"info", database(), "--json"});
  EXPECT_EQ(outcome.code, kExitSuccess);
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["counts"]["kernels"], 3000);
  EXPECT_EQ(json["iterations"]["count"], 21);
  EXPECT_EQ(json["iterations"]["key_instances"], 20);
  EXPECT_EQ(json["iterations"]["key_op"], generate::demo_key_op(generate::Framework::pytorch));
  EXPECT_EQ(json["gpus"].size(), 2u);
  ASSERT_EQ(json["aggregations"].size(), 1u);
  EXPECT_EQ(json["aggregations"][0]["last_iteration"], 20);
  EXPECT_EQ(json["aggregations"][0]["cut"], "start");
  EXPECT_TRUE(json["data_quality"].is_array());
  EXPECT_TRUE(json["not_recorded"].is_array());
}

TEST_F(Commands, InfoNamesAMissingMarker) {
  const std::string path = in_folder("whole.sqlite");
  ASSERT_EQ(dlview({"generate", path, "--kernels", "100", "--iterations", "0"}).code, kExitSuccess);
  change(path,
         "UPDATE iteration_key SET key_node_id = (SELECT id FROM dictionary WHERE string = '')");
  const Outcome text = dlview({"info", path});
  EXPECT_THAT(text.out, ::testing::ContainsRegex("Iteration marker +none\n"));
  EXPECT_THAT(text.out, ::testing::ContainsRegex("1  not recorded +[a-z]+\n"));
  const auto json = nlohmann::json::parse(dlview({"info", path, "--json"}).out);
  EXPECT_EQ(json["iterations"]["key_op"], nullptr);
}

TEST_F(Commands, InfoListsFilters) {
  EXPECT_THAT(dlview({"info", database()}).out, ::testing::ContainsRegex("Filters +none\n"));
  const std::vector<std::string> filtered{"info",          database(), "--only",
                                          "tensor_core=1", "--only",   "device=0"};
  EXPECT_THAT(dlview(filtered).out, ::testing::ContainsRegex("Filters +device=0, tensor_core=1\n"));
  const Outcome json = dlview({"info", database(), "--json", "--state", "only=device:1"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["iterations"]["only"], "device=1");
}

TEST_F(Commands, ReplaceFiltersOfTheState) {
  const Outcome outcome =
      dlview({"info", database(), "--only", "device=0", "--state", "only=device:1"});
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("Filters +device=0\n"));
}

TEST_F(Commands, RejectInvalidFiltersWithAdvice) {
  const auto refused = [](const char* filter) {
    const Outcome outcome = dlview({"info", database(), "--only", filter});
    EXPECT_EQ(outcome.code, kExitUnusable) << filter;
    EXPECT_THAT(outcome.out, IsEmpty()) << filter;
    return outcome.err;
  };
  EXPECT_THAT(refused("conv2d"), HasSubstr("--only op_type=conv2d"));
  EXPECT_THAT(refused("color=red"), HasSubstr("op_type"));
  EXPECT_THAT(refused("eligible=maybe"), HasSubstr("Valid values: 1, 0"));
  EXPECT_THAT(refused("device=9"), HasSubstr("Valid values: 0, 1"));
  EXPECT_THAT(refused("op_type=conv"), HasSubstr("Did you mean"));
  EXPECT_EQ(dlview({"verify", database(), "--only", "device=0"}).code, kExitUnusable);
}

TEST_F(Commands, ReportRefusesFiltersAndWritesNothing) {
  for (const std::vector<std::string>& filters :
       {std::vector<std::string>{"--only", "device=0"}, {"--state", "only=device:0"}}) {
    const Outcome outcome = report(filters);
    EXPECT_EQ(outcome.code, kExitUnusable);
    EXPECT_THAT(outcome.err, HasSubstr("DLProf reports do not support filters"));
  }
  EXPECT_FALSE(fs::exists(in_folder("out")));
}

TEST_F(Commands, ReportHelpKeepsFiltersForPages) {
  EXPECT_THAT(dlview({"report", "--help"}).out, HasSubstr("for a page, repeatable; not for other"));
  EXPECT_THAT(dlview({"info", "--help"}).out, HasSubstr("--only"));
}

TEST_F(Commands, ReportWritesOneKindACall) {
  const auto refused = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"report", database()});
    const Outcome outcome = dlview(std::move(arguments));
    EXPECT_EQ(outcome.code, kExitUnusable);
    return outcome.err;
  };
  const std::string page = in_folder("run.html"), out = in_folder("out");
  EXPECT_THAT(refused({}), HasSubstr("Add --html FILE"));
  EXPECT_THAT(refused({"--html", page, "--output-dir", out}), HasSubstr("exclude each other"));
  EXPECT_THAT(refused({"--operators"}), HasSubstr("--operators needs --html FILE or --pdf FILE"));
  EXPECT_THAT(refused({"--pdf", page}), HasSubstr("Missing --operators"));
  EXPECT_THAT(refused({"--output-dir", out, "--with", database()}), HasSubstr("--with is for"));
  EXPECT_THAT(refused({"--html", page, "--operators", "--with-host"}), HasSubstr("--with-host is"));
  EXPECT_THAT(refused({"--html", page, "--baseline", page}), HasSubstr("Missing --budget"));
  EXPECT_THAT(refused({"--html", database()}), HasSubstr("Choose another name for the page"));
  EXPECT_THAT(refused({"--html", page, "--budget", in_folder("none.toml"), "--iterations", "1:2"}),
              HasSubstr("The budget file chooses the iterations"));
  EXPECT_FALSE(fs::exists(page));
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(Commands, ReportHelpNamesItsSplit) {
  EXPECT_THAT(dlview({"report", "--help"}).out, HasSubstr("as DLProf has it"));
  EXPECT_THAT(dlview({"info", "--help"}).out, HasSubstr("if the host runs far ahead"));
}

TEST_F(Commands, EscapeControlCharactersOfFiles) {
  const std::string path = in_folder("hostile.sqlite");
  fs::copy_file(database(), path);
  change(path,
         "UPDATE read_only_system_config SET cpu_model = char(27) || '[2J' || "
         "CAST(x'ff9b' AS TEXT)");
  const Outcome text = dlview({"info", path});
  EXPECT_THAT(text.out, HasSubstr("\\x1b[2J\\xff\\x9b\n"));
  EXPECT_EQ(text.out.find('\x1b'), std::string::npos);
  const auto json = nlohmann::json::parse(dlview({"info", path, "--json"}).out);
  EXPECT_EQ(json["system"]["cpu_model"], "\x1b[2J\uFFFD\uFFFD");

  const Outcome missing = dlview({"info", in_folder("\x1b[31m")});
  EXPECT_THAT(missing.err, HasSubstr("\\x1b[31m"));
  EXPECT_EQ(missing.err.find('\x1b'), std::string::npos);
}

TEST_F(Commands, GenerateReplacesFilesWithForce) {
  const std::string path = in_folder("own.sqlite");
  std::ofstream(path) << "mine";
  const Outcome refused = dlview({"generate", path, "--kernels", "2000", "--iterations", "5"});
  EXPECT_EQ(refused.code, kExitUnusable);
  EXPECT_EQ(testing::contents_of(path), "mine");
  const Outcome replaced = dlview({"generate", path, "--kernels", "2000", "--iterations", "5",
                                   "--framework", "tensorflow", "--overwrite"});
  EXPECT_EQ(replaced.code, kExitSuccess) << replaced.err;
  EXPECT_EQ(replaced.out, path + "\n");
  EXPECT_THAT(dlview({"info", path}).out, HasSubstr("TensorFlow"));
}

TEST_F(Commands, GenerateRepeatsASeed) {
  const auto make = [this](const char* name, const char* seed) {
    const std::string path = in_folder(name);
    EXPECT_EQ(
        dlview({"generate", path, "--kernels", "2000", "--iterations", "5", "--seed", seed}).code,
        kExitSuccess);
    return testing::contents_of(path);
  };
  const std::string first = make("a.sqlite", "4");
  EXPECT_EQ(make("b.sqlite", "4"), first);
  EXPECT_NE(make("c.sqlite", "5"), first);
}

TEST_F(Commands, GeneratePlantsChanges) {
  const std::string path = in_folder("a.sqlite"), truth = in_folder("truth.json");
  const Outcome made = dlview({"generate", path, "--kernels", "2000", "--iterations", "5",
                               "--change", "clocks=0.97", "--change", "slower-op=conv2d:1.1",
                               "--noise", "between=0.7%,within=1.3%", "--truth", truth});
  ASSERT_EQ(made.code, kExitSuccess) << made.err;
  const auto json = nlohmann::json::parse(testing::contents_of(truth));
  EXPECT_EQ(json["changes"][0]["change"], "clocks=0.97");
  EXPECT_EQ(json["changes"][1]["factor"], 1.1);
  EXPECT_EQ(json["noise"]["between"], 0.007);
  EXPECT_EQ(json["steps"].size(), 6U);
  EXPECT_THAT(dlview({"info", path}).out, HasSubstr("--change 'slower-op=conv2d:1.1'"));
}

TEST_F(Commands, GenerateRefusesUnknownChanges) {
  const std::string path = in_folder("x.sqlite");
  const Outcome unknown = dlview({"generate", path, "--change", "faster"});
  EXPECT_EQ(unknown.code, kExitUnusable);
  EXPECT_THAT(unknown.err, HasSubstr("Invalid --change: \"faster\"\n  Valid values: slower-op="));
  EXPECT_EQ(dlview({"generate", path, "--noise", "1%"}).code, kExitUnusable);
  EXPECT_EQ(dlview({"generate", path, "--change", "other-gpu", "--limits", "h100"}).code,
            kExitUnusable);
  EXPECT_EQ(
      dlview({"generate", path, "--format", "nsys", "--program", "pairs", "--noise", "within=1%"})
          .code,
      kExitUnusable);
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(Commands, RejectUnreadableCommandLines) {
  EXPECT_EQ(dlview({"verify"}).code, kExitUnusable);
  EXPECT_EQ(dlview({"report", database()}).code, kExitUnusable);
  EXPECT_EQ(dlview({"info", database(), "--xml"}).code, kExitUnusable);
  EXPECT_EQ(dlview({"generate", in_folder("x"), "--format", "parquet"}).code, kExitUnusable);
  EXPECT_EQ(dlview({"generate", in_folder("x"), "--framework", "caffe"}).code, kExitUnusable);
  EXPECT_EQ(dlview({"generate", in_folder("x"), "--gpus", "0"}).code, kExitUnusable);
  EXPECT_FALSE(fs::exists(in_folder("x")));
  EXPECT_EQ(dlview({"report", "--help"}).code, kExitSuccess);
}

TEST_F(Commands, InfoListsMissingDataOnce) {
  const std::string path = in_folder("run.json");
  const Outcome made =
      dlview({"generate", path, "--format", "pytorch", "--kernels", "100", "--iterations", "2"});
  ASSERT_EQ(made.code, kExitSuccess) << made.err;
  const Outcome text = dlview({"info", path});
  EXPECT_THAT(text.out, ::testing::Not(HasSubstr("CPU model")));
  EXPECT_THAT(text.out, HasSubstr("Framework  "));
  EXPECT_THAT(text.out,
              ::testing::ContainsRegex("Input shapes and data types +torch.profiler.profile\\("
                                       "record_shapes=True\\)\n"));
  const auto json = nlohmann::json::parse(dlview({"info", path, "--json"}).out);
  EXPECT_TRUE(json["system"]["cpu_model"].is_null());
}

TEST_F(Commands, SayFirstThatATraceIsTruncated) {
  const std::string path = in_folder("run.json");
  const Outcome made =
      dlview({"generate", path, "--format", "pytorch", "--kernels", "100", "--iterations", "2"});
  ASSERT_EQ(made.code, kExitSuccess) << made.err;
  EXPECT_THAT(dlview({"info", path}).err, IsEmpty());
  fs::resize_file(path, fs::file_size(path) / 2);
  const Outcome truncated = dlview({"info", path});
  EXPECT_EQ(truncated.code, kExitSuccess);
  EXPECT_THAT(truncated.err,
              ::testing::MatchesRegex(".*/run.json: The file is truncated: the events after the "
                                      "first [0-9,]+, of any kind and time, are missing. Copy it "
                                      "again; .*\n"));
}

TEST_F(Commands, InfoListsExportContentsAndMessages) {
  const std::string path = in_folder("export.sqlite");
  const Outcome made =
      dlview({"generate", path, "--format", "nsys", "--kernels", "100", "--iterations", "2"});
  ASSERT_EQ(made.code, kExitSuccess) << made.err;
  change(path,
         "CREATE TABLE CUBLAS_EVENTS(start INTEGER); INSERT INTO CUBLAS_EVENTS VALUES(1), (2);"
         "CREATE TABLE DIAGNOSTIC_EVENT(timestamp INTEGER, timestampType INTEGER, source INTEGER,"
         "  severity INTEGER, text TEXT, globalPid INTEGER);"
         "INSERT INTO DIAGNOSTIC_EVENT(severity, text) VALUES(2, 'events lost'),"
         "  (2, 'events lost');");
  const Outcome text = dlview({"info", path});
  EXPECT_THAT(text.out, ::testing::ContainsRegex("Kernels +CUPTI_ACTIVITY_KIND_KERNEL +100 +all"));
  EXPECT_THAT(text.out, ::testing::ContainsRegex("cuBLAS calls +CUBLAS_EVENTS +2 +not used\n"));
  EXPECT_THAT(text.out, ::testing::ContainsRegex("warning +2 +events lost\n"));
  const auto json = nlohmann::json::parse(dlview({"info", path, "--json"}).out);
  EXPECT_EQ(json["contents"].back()["table"].get<std::string>(), "CUBLAS_EVENTS");
  EXPECT_EQ(json["profiler_messages"][0]["text"].get<std::string>(), "events lost");
}

}  // namespace
}  // namespace dlview::app
