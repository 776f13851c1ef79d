#include "base/unfinished_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/test_data.h"

namespace dlview::base {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

auto files_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), {});
}

class UnfinishedFileTest : public ::testing::Test {
 protected:
  UnfinishedFileTest() { std::ofstream(target_) << "old"; }

  testing::TemporaryFolder folder_;
  fs::path target_ = folder_.path() / "run.csv";
};

TEST_F(UnfinishedFileTest, TakesThePlaceOfTheTargetOnlyWhenItIsFinished) {
  Result<UnfinishedFile> file = UnfinishedFile::create(target_);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->path().parent_path(), target_.parent_path());
  std::ofstream(file->path()) << "new";
  EXPECT_EQ(text_of(target_), "old");
  EXPECT_TRUE(file->finish().ok());
  EXPECT_EQ(text_of(target_), "new");
  EXPECT_EQ(files_in(folder_.path()), 1);
}

TEST_F(UnfinishedFileTest, IsRemovedWhenNobodyFinishesIt) {
  {
    Result<UnfinishedFile> file = UnfinishedFile::create(target_);
    ASSERT_TRUE(file.ok());
    const UnfinishedFile moved = std::move(*file);
    EXPECT_TRUE(fs::exists(moved.path()));
  }
  EXPECT_EQ(files_in(folder_.path()), 1);
  EXPECT_EQ(text_of(target_), "old");
}

TEST_F(UnfinishedFileTest, NeverTakesOrRemovesAFileThatWasThereBefore) {
  fs::path name;
  {
    const Result<UnfinishedFile> probe = UnfinishedFile::create(target_);
    ASSERT_TRUE(probe.ok());
    name = probe->path();
  }
  std::ofstream(name) << "somebody else's";
  {
    const Result<UnfinishedFile> file = UnfinishedFile::create(target_);
    ASSERT_TRUE(file.ok());
    EXPECT_NE(file->path(), name);
  }
  EXPECT_EQ(text_of(name), "somebody else's");
}

TEST_F(UnfinishedFileTest, LeavesAFileAloneThatCameUnderItsNameAfterItWasFinished) {
  fs::path name;
  {
    Result<UnfinishedFile> file = UnfinishedFile::create(target_);
    ASSERT_TRUE(file.ok());
    name = file->path();
    ASSERT_TRUE(file->finish().ok());
    std::ofstream(name) << "somebody else's";
  }
  EXPECT_EQ(text_of(name), "somebody else's");
}

TEST_F(UnfinishedFileTest, WorksForTheLongestNameThatAFileCanHave) {
  const fs::path longest = folder_.path() / std::string(255, 'x');
  Result<UnfinishedFile> file = UnfinishedFile::create(longest);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->finish().ok());
  EXPECT_TRUE(fs::exists(longest));
}

TEST_F(UnfinishedFileTest, SaysWhyThereCanBeNoFile) {
  const auto no_folder = UnfinishedFile::create(folder_.path() / "none" / "run.csv");
  ASSERT_FALSE(no_folder.ok());
  EXPECT_THAT(no_folder.error().detail, HasSubstr("none/run.csv: No such file or directory"));

  fs::create_directory(folder_.path() / "folder");
  {
    Result<UnfinishedFile> file = UnfinishedFile::create(folder_.path() / "folder");
    ASSERT_TRUE(file.ok());
    const Status finished = file->finish();
    ASSERT_FALSE(finished.ok());
    EXPECT_THAT(finished.error().detail, HasSubstr("folder: Is a directory"));
  }
  EXPECT_EQ(files_in(folder_.path()), 2);
}

}  // namespace
}  // namespace dlview::base
