// A public DLProf database against the export that DLProf made it from, as it is and without what
// DLProf added to it.

#include "verify/against.h"

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/progress.h"
#include "generate/dlprof.h"
#include "generate/nsys.h"
#include "support/test_data.h"

namespace dlview::verify {
namespace {

namespace fs = std::filesystem;

fs::path with_relu() {
  return *testing::test_data_folder() / "dlprof" / "with_relu";
}

// A copy of the export, changed by `sql`.
fs::path changed_export(const fs::path& folder, const std::string& sql) {
  const fs::path copy = folder / "nsys_profile.sqlite";
  fs::copy_file(with_relu() / "nsys_profile.sqlite", copy);
  fs::permissions(copy, fs::perms::owner_write, fs::perm_options::add);
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(copy.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  sqlite3_close(database);
  return copy;
}

Verification verify(const fs::path& exported) {
  base::Progress progress;
  auto result = verify_against(with_relu() / "dlprof_dldb.sqlite", exported, progress);
  EXPECT_TRUE(result.ok());
  return result.ok() ? *std::move(result) : Verification{};
}

constexpr const char* kFresh = R"(
  DROP TABLE SystemInfo;
  DROP INDEX stringId;
  DROP INDEX runtime_start;
  DROP INDEX correlationId_kernel;
  DROP INDEX correlationId_memset;
  DROP INDEX correlationId_memcpy;
  DROP INDEX correlationId_sync;
  ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME DROP COLUMN cuda_name;
  ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME DROP COLUMN kernel_name;
  ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN kernel_name;
  ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN long_kernel_name;)";

std::string printed(const Verification& verification) {
  std::ostringstream out;
  print(verification, out);
  return out.str();
}

void expect_all_match(const Verification& verification) {
  EXPECT_TRUE(verification.all_match()) << printed(verification);
  ASSERT_EQ(verification.rows.size(), 6u);
  const std::vector<int64_t> counts{36, 36, 59, 17, 69, 176};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT_EQ(verification.rows[i].matched, counts[i]) << verification.rows[i].name;
  }
  ASSERT_EQ(verification.aggregations.size(), 1u);
  EXPECT_EQ(verification.aggregations.front().tables.size(), 14u);
  EXPECT_EQ(verification.aggregations.front().reports.size(), 8u);
  EXPECT_TRUE(verification.not_compared().empty());
}

TEST(AgainstAnExport, MatchesTheDatabaseOfDlprof) {
  DLVIEW_REQUIRE_TEST_DATA();
  expect_all_match(verify(with_relu() / "nsys_profile.sqlite"));
}

TEST(AgainstAnExport, NeedsNoTablesOfDlprof) {
  DLVIEW_REQUIRE_TEST_DATA();
  const testing::TemporaryFolder folder;
  expect_all_match(verify(changed_export(folder.path(), kFresh)));
}

// What the generator writes as one run is one to the importers of both formats. The second run has
// several passes in each step.
TEST(AgainstAnExport, MatchesGeneratedFiles) {
  const testing::TemporaryFolder folder;
  for (const int64_t kernels : {3000, 9000}) {
    const generate::DemoOptions options{.iterations = 6, .kernels = kernels};
    const fs::path database = folder.path() / "dlprof_dldb.sqlite";
    const fs::path exported = folder.path() / "nsys_profile.sqlite";
    base::Progress progress;
    using generate::IfExists;
    ASSERT_TRUE(generate::generate_dlprof(database, options, progress, IfExists::replace).ok());
    ASSERT_TRUE(generate::generate_nsys(exported, options, generate::NsysSchema::v2026, progress,
                                        IfExists::replace)
                    .ok());
    const auto result = verify_against(database, exported, progress);
    ASSERT_TRUE(result.ok());
    EXPECT_TRUE(result->all_match()) << kernels << " kernels\n" << printed(*result);
  }
}

TEST(AgainstAnExport, AChangedKernelIsFound) {
  DLVIEW_REQUIRE_TEST_DATA();
  const testing::TemporaryFolder folder;
  const Verification verification = verify(changed_export(
      folder.path(), "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 1 WHERE rowid = 7"));
  EXPECT_FALSE(verification.all_match());
  ASSERT_EQ(verification.rows.size(), 6u);
  EXPECT_EQ(verification.rows[2].difference_count, 1);
}

TEST(AgainstAnExport, RejectsADatabaseInItsPlace) {
  DLVIEW_REQUIRE_TEST_DATA();
  base::Progress progress;
  const fs::path database = with_relu() / "dlprof_dldb.sqlite";
  const auto result = verify_against(database, database, progress);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().title, "Nothing to compare with");
}

TEST(AgainstAnExport, RejectsAnExportAsTheDatabase) {
  DLVIEW_REQUIRE_TEST_DATA();
  base::Progress progress;
  const fs::path exported = with_relu() / "nsys_profile.sqlite";
  const auto result = verify_against(exported, exported, progress);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().title, "Nothing to verify");
}

TEST(AgainstAnExport, RejectsATraceAsTheDatabase) {
  DLVIEW_REQUIRE_TEST_DATA();
  base::Progress progress;
  const fs::path traces = *testing::test_data_folder() / "pytorch";
  for (const char* name : {"hta_backward_thread.json", "param_linear.json.gz"}) {
    for (const auto& result :
         {verify_database(traces / name, {}, progress),
          verify_against(traces / name, with_relu() / "nsys_profile.sqlite", progress)}) {
      ASSERT_FALSE(result.ok());
      EXPECT_EQ(result.error().title, "Nothing to verify");
      EXPECT_NE(result.error().detail.find("not a DLProf database. verify recomputes"),
                std::string::npos);
      EXPECT_NE(result.error().advice.find("dlview info "), std::string::npos);
    }
  }
  const auto missing = verify_database(traces / "none.json", {}, progress);
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().title, "Nothing to verify");
}

}  // namespace
}  // namespace dlview::verify
