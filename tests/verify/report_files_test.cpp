#include "verify/report_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/progress.h"
#include "support/file_contents.h"
#include "support/test_data.h"
#include "verify/verify.h"

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

// A real DLProf 1.8 report whose texts are changed.
class ReportInOtherWords : public ::testing::Test {
 protected:
  Verification verify_with(std::string_view old_text, std::string_view new_text) const {
    const fs::path original = *testing::test_data_folder() / "dlprof" / "no_relu";
    std::string text = testing::contents_of(original / "dlprof_expert_systems.csv");
    const std::size_t at = text.find(old_text);
    EXPECT_NE(at, std::string::npos);
    text.replace(at, old_text.size(), new_text);
    std::ofstream(folder_.path() / "dlprof_expert_systems.csv", std::ios::binary) << text;
    base::Progress progress;
    auto verification = verify_database(original / "dlprof_dldb.sqlite", folder_.path(), progress);
    EXPECT_TRUE(verification.ok()) << base::to_text(verification.error());
    return verification.ok() ? *std::move(verification) : Verification();
  }
  static const Check& advice_of(const Verification& verification) {
    return *std::ranges::find(verification.reports, "dlprof_expert_systems.csv", &Check::name);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(ReportInOtherWords, HasANoteAndNoDifference) {
  DLVIEW_REQUIRE_TEST_DATA();
  const Verification verification = verify_with("Consider swapping", "Think of swapping");
  EXPECT_TRUE(verification.all_match());
  EXPECT_EQ(advice_of(verification).wordings.size(), 1u);
}

TEST_F(ReportInOtherWords, DiffersWhereANumberDoes) {
  DLVIEW_REQUIRE_TEST_DATA();
  const Verification verification = verify_with("78.9%", "78.8%");
  EXPECT_FALSE(verification.all_match());
  EXPECT_TRUE(advice_of(verification).wordings.empty());
}

TEST_F(ReportInOtherWords, DiffersWhereANameIsMissing) {
  DLVIEW_REQUIRE_TEST_DATA();
  EXPECT_FALSE(verify_with("No DALI ops detected", "No ops detected").all_match());
  EXPECT_FALSE(verify_with("Specify key op by setting the --key_op argument", "Do it").all_match());
}

}  // namespace
}  // namespace dlview::verify
