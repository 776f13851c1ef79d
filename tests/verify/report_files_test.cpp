#include "verify/report_files.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/test_data.h"

namespace dlview::verify {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;

class ReportFiles : public ::testing::Test {
 protected:
  fs::path add(const char* name, const char* text) const {
    std::ofstream(folder_.path() / name) << text;
    return folder_.path() / name;
  }
  // What read_report_files() says about a folder that cannot be used.
  static base::Error error_of(const fs::path& folder) {
    const auto files = read_report_files(folder);
    EXPECT_FALSE(files.ok());
    return files.ok() ? base::Error() : files.error();
  }

  testing::TemporaryFolder folder_;
};

TEST_F(ReportFiles, AreReadWhereTheyAreAndNotFoundWhereTheyAreNot) {
  add("dlprof_kernel.csv", "a,b\n");
  add("dlprof_summary.csv", "");
  const auto files = read_report_files(folder_.path());
  ASSERT_TRUE(files.ok());
  ASSERT_EQ(files->size(), 8u);
  for (const ReportFile& file : *files) {
    EXPECT_EQ(file.found, file.name == "dlprof_kernel.csv" || file.name == "dlprof_summary.csv");
    EXPECT_EQ(file.text, file.name == "dlprof_kernel.csv" ? "a,b\n" : "");
  }
}

TEST_F(ReportFiles, OfAFolderThatCannotBeUsedSayWhy) {
  const fs::path missing = folder_.path() / "none";
  EXPECT_EQ(error_of(missing).detail, missing.string() + ": No such file or directory");
  const fs::path file = add("notes.txt", "mine");
  EXPECT_EQ(error_of(file).detail, file.string() + ": it is a file, not a folder");
  EXPECT_THAT(error_of(folder_.path()).detail, EndsWith("has no dlprof_*.csv file"));
}

TEST_F(ReportFiles, AreRefusedWhereTheyAreNoRegularFiles) {
  add("dlprof_summary.csv", "");
  fs::create_directory(folder_.path() / "dlprof_kernel.csv");
  EXPECT_THAT(error_of(folder_.path()).detail,
              EndsWith("dlprof_kernel.csv: it is not a regular file"));
}

TEST_F(ReportFiles, ThatMayNotBeReadSayWhy) {
  const fs::path file = add("dlprof_summary.csv", "a");
  const testing::OrdinaryUser user(folder_.path());
  fs::permissions(file, fs::perms::none);
  EXPECT_EQ(error_of(folder_.path()).title, "A report cannot be read");
  fs::permissions(folder_.path(), fs::perms::none);
  EXPECT_THAT(error_of(folder_.path()).detail, EndsWith(": Permission denied"));
  fs::permissions(folder_.path(), fs::perms::owner_all);
}

}  // namespace
}  // namespace dlview::verify
