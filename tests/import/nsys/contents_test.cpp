// What an export holds, and what the profiler said of its recording.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/nsys/test_export.h"
#include "support/test_data.h"

namespace dlview::import::nsys {
namespace {

using profile::Profile;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

class ContentsOfExport : public testing::ExportTest {
 protected:
  Profile open_anew(const std::string& changes) {
    std::filesystem::remove(path());
    return open_with(changes);
  }
  std::vector<std::string> tables(const std::string& changes) {
    std::vector<std::string> all;
    const Profile profile = open_anew(changes);
    for (const profile::RecordedTable& table : profile.recorded_tables) {
      all.push_back(fmt::format("{}: {}, {}", table.name, table.rows,
                                table.use.empty() ? "not used" : table.what));
    }
    return all;
  }
  std::vector<std::string> messages(const std::string& changes) {
    std::vector<std::string> all;
    const Profile profile = open_anew(changes);
    for (const profile::ProfilerMessage& message : profile.profiler_messages) {
      all.push_back(fmt::format("{} {} x {}", message.is_error ? "error" : "warning", message.text,
                                message.count));
    }
    return all;
  }
};

TEST_F(ContentsOfExport, AreTablesWithRowsAndWhatTheyAreUsedFor) {
  const std::vector<std::string> all = tables(
      "CREATE TABLE GPU_METRICS(timestamp INTEGER); INSERT INTO GPU_METRICS VALUES(1), (2);"
      "CREATE TABLE OF_NEXT_YEAR(x INTEGER); INSERT INTO OF_NEXT_YEAR VALUES(1);"
      "CREATE TABLE CUBLAS_EVENTS(start INTEGER);"
      "CREATE TABLE ENUM_ANY(id INTEGER); INSERT INTO ENUM_ANY VALUES(1);");
  EXPECT_EQ(all.front(), "CUPTI_ACTIVITY_KIND_KERNEL: 2, Kernels");
  EXPECT_THAT(all, Contains("OSRT_API: 1, OS runtime calls"));
  EXPECT_THAT(all, Contains("GPU_METRICS: 2, GPU metrics"));
  EXPECT_EQ(all.back(), "OF_NEXT_YEAR: 1, not used");
  for (const char* name : {"CUBLAS_EVENTS", "ENUM_ANY", "StringIds", "PROCESSES"}) {
    EXPECT_THAT(all, Not(Contains(::testing::StartsWith(name))));
  }
}

TEST_F(ContentsOfExport, LeaveOutATableThatCannotBeRead) {
  const std::string damage =
      "CREATE TABLE CUBLAS_EVENTS(start INTEGER); INSERT INTO CUBLAS_EVENTS VALUES(1);"
      "CREATE INDEX by_time ON CUBLAS_EVENTS(start); PRAGMA writable_schema = ON;"
      "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE "
      "name = 'by_time') WHERE name = 'CUBLAS_EVENTS';";
  const std::vector<std::string> all = tables(damage);
  EXPECT_THAT(all, Contains("OSRT_API: 1, OS runtime calls"));
  EXPECT_THAT(all, Not(Contains(::testing::StartsWith("CUBLAS_EVENTS"))));
}

TEST_F(ContentsOfExport, ALongTableCountsByItsRowNumbers) {
  EXPECT_THAT(tables("CREATE TABLE GPU_METRICS(timestamp INTEGER);"
                     "INSERT INTO GPU_METRICS(rowid) VALUES(1), (2000000);"),
              Contains("GPU_METRICS: 2000000, GPU metrics"));
  EXPECT_THAT(tables("CREATE TABLE GPU_METRICS(timestamp INTEGER);"
                     "INSERT INTO GPU_METRICS(rowid) VALUES(1), (20000);"),
              Contains("GPU_METRICS: 2, GPU metrics"));
}

TEST_F(ContentsOfExport, AreWarningsAndErrorsOfTheProfilerEachOnce) {
  constexpr const char* kTable =
      "CREATE TABLE DIAGNOSTIC_EVENT(timestamp INTEGER, timestampType INTEGER, source INTEGER,"
      "  severity INTEGER, text TEXT, globalPid INTEGER);";
  EXPECT_THAT(messages(kTable), IsEmpty());
  EXPECT_THAT(messages(std::string(kTable) +
                       "INSERT INTO DIAGNOSTIC_EVENT(severity, text) VALUES(1, 'started'),"
                       "  (2, 'events lost'), (3, 'no samples'), (2, 'events lost'), (4, 'x');"),
              ElementsAre("error no samples x 1", "warning events lost x 2"));
}

TEST(ContentsOfRealExport, NameWhatWasRecorded) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto path = *testing::test_data_folder() / "nsys" / "2025.3_cupy_44_steps.sqlite";
  const base::Result<Profile> profile = testing::open_for_test(path);
  ASSERT_TRUE(profile.ok());
  std::vector<std::string> all;
  for (const profile::RecordedTable& table : profile->recorded_tables) {
    all.push_back(fmt::format("{} {}", table.rows, table.what));
  }
  EXPECT_THAT(all, Contains("430 Thread states"));
  EXPECT_THAT(all, Contains("893 CPU samples"));
  EXPECT_THAT(all, Contains("1428 OS runtime calls"));
}

}  // namespace
}  // namespace dlview::import::nsys
