// A generated database, in which one stored value is changed: verify finds that one and no other.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/progress.h"
#include "generate/dlprof.h"
#include "support/test_data.h"
#include "verify/verify.h"

namespace dlview::verify {
namespace {

namespace fs = std::filesystem;

// Made once for all tests of this file.
const fs::path& original() {
  static const testing::TemporaryFolder folder;
  static const fs::path path = [] {
    generate::DemoOptions options;
    options.iterations = 12;
    options.kernels = 4'000;
    options.gpus = 2;
    base::Progress progress;
    const fs::path file = folder.path() / "generated.sqlite";
    const base::Status status = generate::generate_dlprof(file, options, progress);
    EXPECT_TRUE(status.ok());
    return file;
  }();
  return path;
}

// The number of rows that `sql` changed.
int execute(const fs::path& path, const std::string& sql) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  const int changes = sqlite3_total_changes(database);
  sqlite3_close(database);
  return changes;
}

const Check& check_of(const Verification& verification, const std::string& table) {
  const auto& tables = verification.aggregations.front().tables;
  return *std::find_if(tables.begin(), tables.end(),
                       [&](const Check& check) { return check.name == table; });
}

struct Change {
  const char* name;
  const char* sql;  // changes one row
  const char* table;
  const char* column;  // "" when the row is gone
};
void PrintTo(const Change& change, std::ostream* out) {
  *out << change.sql;
}

class ChangedDatabase : public ::testing::TestWithParam<Change> {};

TEST_P(ChangedDatabase, IsFoundToDifferInExactlyThatValue) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "changed.sqlite";
  fs::copy_file(original(), path);
  ASSERT_EQ(execute(path, GetParam().sql), 1);

  base::Progress progress;
  const auto verification = verify_database(path, std::nullopt, progress);
  ASSERT_TRUE(verification.ok()) << base::to_text(verification.error());
  EXPECT_FALSE(verification->all_match());
  ASSERT_EQ(verification->aggregations.size(), 1u);
  for (const Check& check : verification->aggregations.front().tables) {
    if (check.name != GetParam().table) {
      EXPECT_TRUE(check.matches()) << check.name;
      continue;
    }
    EXPECT_EQ(check.difference_count, 1);
    EXPECT_EQ(check.matched, check.rows - 1);
    ASSERT_EQ(check.first_differences.size(), 1u);
    EXPECT_EQ(check.first_differences.front().column, GetParam().column);
  }
}

constexpr Change kChanges[] = {
    {"WallTime", "UPDATE model_summary SET wall_time = wall_time + 1", "model_summary",
     "wall_time"},
    {"SixthDecimal", "UPDATE model_summary SET gpu_utilization = gpu_utilization + 0.000001",
     "model_summary", "gpu_utilization"},
    {"SummaryCategory",
     "UPDATE category_summary SET gpu_idle = gpu_idle + 1 WHERE id = (SELECT nodes_other_id FROM "
     "model_summary)",
     "model_summary", "nodes_other_gpu_idle"},
    {"KeyOp", "UPDATE model_summary SET key_node_id = key_node_id + 1", "model_summary",
     "key_node"},
    {"IterationShare",
     "UPDATE iteration_aggregation_list SET memory_duration = memory_duration + 1 WHERE "
     "iter_value = 5",
     "iteration_aggregation_list", "memory_duration"},
    {"Device",
     "UPDATE device_gpu_utilizations SET gpu_utilization = gpu_utilization + 0.000001 WHERE id = 2",
     "device_gpu_utilizations", "gpu_utilization"},
    {"OpFlag", "UPDATE op_nodes SET using_tc = 1 - using_tc WHERE id = 3", "op_nodes", "using_tc"},
    {"OpGone", "DELETE FROM op_nodes WHERE id = 4", "op_nodes", ""},
    {"GroupLevel", "UPDATE group_ops SET level = level + 1 WHERE id = 2", "group_ops", "level"},
    {"TypeCalls", "UPDATE op_type_metrics SET num_calls = num_calls + 1 WHERE id = 1",
     "op_type_metrics", "num_calls"},
    {"KernelFlag", "UPDATE kernel_summaries SET uses_tc = 1 - uses_tc WHERE id = 7",
     "kernel_summaries", "uses_tc"},
    {"KernelTime",
     "UPDATE kernel_iteration_node SET total_gpu_time = total_gpu_time - 1 WHERE id = 3000",
     "kernel_iteration_node", "total_gpu_time"},
    {"KernelIteration",
     "UPDATE kernel_iteration_node SET iter_value = iter_value + 1 WHERE id = 20",
     "kernel_iteration_node", "iter_value"},
    {"IterationStats",
     "UPDATE kernel_iteration_stats SET uses_tc_count = uses_tc_count + 1 WHERE iter_value = 4",
     "kernel_iteration_stats", "uses_tc_count"},
    {"KernelCategory",
     "UPDATE category_summary SET count = count + 1 WHERE id = (SELECT kernels_using_tc_id FROM "
     "kernel_summary_metrics)",
     "kernel_summary_metrics", "kernels_using_tc_count"},
    {"MemoryCategory",
     "UPDATE category_summary SET cpu_time = cpu_time + 1 WHERE id = (SELECT memory_time_id FROM "
     "memory_summary_metrics)",
     "memory_summary_metrics", "memory_time_cpu_time"},
    {"Advice",
     "UPDATE expert_systems_feedback SET recommendation = 'Do nothing' WHERE id = (SELECT "
     "min(id) FROM expert_systems_feedback)",
     "expert_systems_feedback", "recommendation"},
};

INSTANTIATE_TEST_SUITE_P(EachTable, ChangedDatabase, ::testing::ValuesIn(kChanges),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(ChangedIterationList, IsTakenAsItIsAndSaidToFollowNoRule) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "changed.sqlite";
  fs::copy_file(original(), path);
  ASSERT_EQ(execute(path, "UPDATE iteration_list SET stop_time = stop_time - 1 WHERE id = 6"), 1);

  base::Progress progress;
  const auto verification = verify_database(path, std::nullopt, progress);
  ASSERT_TRUE(verification.ok());
  EXPECT_EQ(verification->aggregations.front().selection.cut.kind, aggregate::CutKind::stored);
  EXPECT_TRUE(check_of(*verification, "iteration_list").matches());
  EXPECT_FALSE(check_of(*verification, "iteration_aggregation_list").matches());
  std::ostringstream printed;
  print(*verification, printed);
  EXPECT_NE(printed.str().find("iterations taken from the stored list"), std::string::npos);
  EXPECT_NE(printed.str().find("There are differences."), std::string::npos);
}

// A copy of the generated database, changed by `sql`, and what verify says about it.
class Tampered {
 public:
  explicit Tampered(const std::string& sql) {
    fs::copy_file(original(), path_);
    execute(path_, sql);
  }
  const fs::path& path() const { return path_; }
  Verification verify() const {
    base::Progress progress;
    auto verification = verify_database(path_, std::nullopt, progress);
    EXPECT_TRUE(verification.ok()) << base::to_text(verification.error());
    return verification.ok() ? *std::move(verification) : Verification();
  }

 private:
  testing::TemporaryFolder folder_;
  fs::path path_ = folder_.path() / "tampered.sqlite";
};

// SQLite does not alter tables that its views would miss.
const std::string kDropViews =
    "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE type = 'view';"
    "PRAGMA writable_schema = RESET;";

std::string printed_text(const Verification& verification) {
  std::ostringstream out;
  print(verification, out);
  return out.str();
}

TEST(OlderDatabase, IsComparedInWhatItHasAndTheRestIsNamed) {
  const Tampered database(kDropViews +
                          "DROP TABLE kernel_iteration_stats; DROP TABLE kernel_iteration_node;"
                          "ALTER TABLE op_nodes DROP COLUMN is_bad_data_type;"
                          "UPDATE db_version SET original_version = '1.7.0'");
  const Verification verification = database.verify();
  EXPECT_TRUE(verification.all_match()) << printed_text(verification);
  EXPECT_EQ(check_of(verification, "kernel_iteration_stats").note, "not in this database");
  EXPECT_THAT(verification.not_compared(),
              ::testing::ElementsAre("kernel_iteration_stats of aggregation 1",
                                     "kernel_iteration_node of aggregation 1"));
  EXPECT_THAT(printed_text(verification),
              ::testing::EndsWith("Not compared:\n  kernel_iteration_stats of aggregation 1\n"
                                  "  kernel_iteration_node of aggregation 1\n"
                                  "All compared values match; 2 tables or aggregations were not "
                                  "compared.\n"));
}

TEST(DatabaseOfDlprof18, MustHaveAllTablesAndColumns) {
  const Tampered database(kDropViews +
                          "DROP TABLE kernel_iteration_stats; DROP TABLE kernel_iteration_node;"
                          "ALTER TABLE op_nodes DROP COLUMN is_bad_data_type");
  const Verification verification = database.verify();
  EXPECT_FALSE(verification.all_match());
  EXPECT_EQ(verification.difference_count(), 3);
  EXPECT_EQ(check_of(verification, "kernel_iteration_stats").first_differences.front(),
            (Difference{"table", "", "no such table", "a table"}));
  EXPECT_EQ(check_of(verification, "kernel_iteration_node").difference_count, 1);
  EXPECT_EQ(check_of(verification, "op_nodes").first_differences.front(),
            (Difference{"column", "is_bad_data_type", "no such column", "a column"}));
  EXPECT_THAT(printed_text(verification), ::testing::EndsWith("There are differences.\n"));
}

TEST(StoredAdvice, IsNamedAsNotComparedWhereThereIsNone) {
  const Verification verification = Tampered("DELETE FROM expert_systems_feedback").verify();
  EXPECT_TRUE(verification.all_match());
  EXPECT_EQ(check_of(verification, "expert_systems_feedback").note,
            "no advice stored; not compared");
  EXPECT_THAT(printed_text(verification),
              ::testing::EndsWith("All compared values match; 1 table or aggregation was not "
                                  "compared.\n"));
}

// Of the first advice; `change` is an SQL expression.
Verification with_advice(const std::string& column, const std::string& change) {
  return Tampered("UPDATE expert_systems_feedback SET " + column + " = " + change +
                  " WHERE id = (SELECT min(id) FROM expert_systems_feedback)")
      .verify();
}

TEST(StoredAdvice, InOtherWordsIsANote) {
  for (const char* column : {"problem", "recommendation"}) {
    const Verification verification =
        with_advice(column, "'It seems that: ' || " + std::string(column) + " || '.'");
    EXPECT_TRUE(verification.all_match()) << printed_text(verification);
    const Check& check = check_of(verification, "expert_systems_feedback");
    ASSERT_EQ(check.wordings.size(), 1u) << column;
    EXPECT_EQ(check.wordings.front().column, column);
    EXPECT_EQ(check.matched, check.rows);
    const std::string printed = printed_text(verification);
    EXPECT_THAT(printed, ::testing::HasSubstr("1 text worded differently"));
    EXPECT_THAT(printed, ::testing::HasSubstr("\n  Note: expert_systems_feedback "));
    EXPECT_THAT(printed, ::testing::HasSubstr(std::string(column) + ": stored \"It seems that: "));
    EXPECT_THAT(printed, ::testing::EndsWith("All values match.\n"));
  }
}

TEST(StoredAdvice, WithAnotherNumberNameOrDetectorDiffers) {
  const std::pair<const char*, const char*> changes[] = {
      {"problem", "problem || ' 7'"},
      {"problem", "problem || ' num_workers'"},
      {"recommendation", "recommendation || ' torch.backends.cudnn.benchmark'"},
      {"recommendation", "recommendation || ' --key_op'"},
      {"recommendation", "recommendation || ' XYZ'"},
      {"exp_sys_id", "exp_sys_id || '_2'"},
      {"javascript_function", "'It seems that: ' || javascript_function"}};
  for (const auto& [column, change] : changes) {
    const Verification verification = with_advice(column, change);
    EXPECT_FALSE(verification.all_match()) << change;
    EXPECT_TRUE(check_of(verification, "expert_systems_feedback").wordings.empty()) << change;
  }
}

TEST(UnusableAggregation, IsNamedAndCountsAsAFailure) {
  const Verification no_range =
      Tampered(
          "INSERT INTO aggregations SELECT 2, server_user_name, server_host_name, "
          "start_timestamp, end_timestamp FROM aggregations")
          .verify();
  EXPECT_FALSE(no_range.all_match());
  EXPECT_EQ(no_range.difference_count(), 0);
  EXPECT_THAT(no_range.not_compared(),
              ::testing::ElementsAre("aggregation 2 (it has no row in model_summary)"));
  EXPECT_THAT(printed_text(no_range),
              ::testing::HasSubstr("1 table or aggregation was not compared."));

  const Verification only_one = Tampered("UPDATE model_summary SET iter_stop = 99").verify();
  EXPECT_FALSE(only_one.all_match());
  EXPECT_TRUE(only_one.aggregations.empty());
  EXPECT_THAT(only_one.not_compared(), ::testing::ElementsAre(::testing::HasSubstr("its range")));

  const Verification orphan = Tampered("UPDATE aggregations SET id = 3").verify();
  EXPECT_EQ(orphan.unusable.size(), 2u);
}

TEST(KernelIterationRows, AreReportedIfMissingOrOfAnotherKernel) {
  const Verification verification =
      Tampered(
          "DELETE FROM kernel_iteration_node WHERE id IN (1, 2, 4000);"
          "CREATE TEMP TABLE extra AS SELECT * FROM kernel_iteration_node WHERE id = 50;"
          "UPDATE extra SET id = 9001, read_only_kernel_id = 77777;"
          "INSERT INTO kernel_iteration_node SELECT * FROM extra;"
          "UPDATE extra SET id = 9002, read_only_kernel_id = -5;"
          "INSERT INTO kernel_iteration_node SELECT * FROM extra")
          .verify();
  const Check& check = check_of(verification, "kernel_iteration_node");
  EXPECT_EQ(check.rows, 4'002);
  EXPECT_EQ(check.matched, 3'997);
  EXPECT_EQ(check.difference_count, 5);
  EXPECT_EQ(check.first_differences.front(), (Difference{"-5", "", "a row", "no such row"}));
  EXPECT_EQ(check.first_differences.back(), (Difference{"77777", "", "a row", "no such row"}));
}

TEST(Verify, EndsWhenItIsCanceled) {
  base::Progress progress;
  progress.cancel();
  const auto verification = verify_database(original(), std::nullopt, progress);
  ASSERT_FALSE(verification.ok());
  EXPECT_EQ(verification.error().title, "Canceled");
}

TEST(Verify, FailsForAFileThatIsWrittenMeanwhile) {
  const Tampered database("");
  std::atomic<bool> done = false;
  std::thread writer([&] {
    while (!done) {
      fs::last_write_time(database.path(), fs::file_time_type::clock::now());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  base::Progress progress;
  const auto verification = verify_database(database.path(), std::nullopt, progress);
  done = true;
  writer.join();
  ASSERT_FALSE(verification.ok());
  EXPECT_EQ(verification.error().title, "The file is being written");
}

TEST(PrintedVerification, EscapesControlsAndTruncatesTexts) {
  Verification verification;
  verification.path = "a\x1b[2J.sqlite";
  Check check;
  check.name = "op_nodes";
  check.add({"key\a", "column", std::string(59, 'x') + "\u00e9\u00e9", "\x9b"});
  verification.aggregations.push_back({1, {}, 1, {check}});
  const std::string text = printed_text(verification);
  EXPECT_THAT(text, ::testing::HasSubstr("a\\x1b[2J.sqlite\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("key\\x07 column: stored \"" + std::string(59, 'x') +
                                         "...\", recomputed \"\\x9b\""));
}

}  // namespace
}  // namespace dlview::verify
