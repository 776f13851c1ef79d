#include "base/unfinished_file.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/names_to_remove.h"
#include "support/file_contents.h"
#include "support/test_data.h"

namespace dlview::base {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

auto files_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), {});
}

class UnfinishedFileTest : public ::testing::Test {
 protected:
  UnfinishedFileTest() { std::ofstream(target_) << "old"; }

  void write(const char* text) {
    Result<UnfinishedFile> file = UnfinishedFile::create(target_);
    ASSERT_TRUE(file.ok()) << file.error().detail;
    file->out() << text;
    EXPECT_TRUE(file->finish().ok());
  }

  testing::TemporaryFolder folder_;
  fs::path target_ = folder_.path() / "run.csv";
};

TEST_F(UnfinishedFileTest, ReplacesTheTargetWhenFinished) {
  Result<UnfinishedFile> file = UnfinishedFile::create(target_);
  ASSERT_TRUE(file.ok());
  std::ofstream(file->path()) << "new";
  EXPECT_EQ(testing::contents_of(target_), "old");
  EXPECT_TRUE(file->finish().ok());
  EXPECT_EQ(testing::contents_of(target_), "new");
  EXPECT_EQ(files_in(folder_.path()), 1);
}

TEST_F(UnfinishedFileTest, IsRemovedWhenNobodyFinishesIt) {
  {
    Result<UnfinishedFile> file = UnfinishedFile::create(target_);
    ASSERT_TRUE(file.ok());
    UnfinishedFile moved = std::move(*file);
    EXPECT_TRUE(fs::exists(moved.path()));
  }
  EXPECT_EQ(files_in(folder_.path()), 1);
  EXPECT_EQ(testing::contents_of(target_), "old");
}

TEST_F(UnfinishedFileTest, HasNoNameUntilFinished) {
  Result<UnfinishedFile> file = UnfinishedFile::create(target_);
  ASSERT_TRUE(file.ok());
  file->out() << "new" << std::flush;
  if (file->path().parent_path() == folder_.path()) GTEST_SKIP() << "no O_TMPFILE here";
  EXPECT_EQ(files_in(folder_.path()), 1);
}

TEST_F(UnfinishedFileTest, HasARandomTemporaryName) {
  Result<UnfinishedFile> one = UnfinishedFile::create_named(target_);
  Result<UnfinishedFile> other = UnfinishedFile::create_named(target_);
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_NE(one->path(), other->path());
  EXPECT_EQ(one->path().parent_path(), folder_.path());
  std::ofstream(one->path()) << "new";
  EXPECT_TRUE(one->finish().ok());
  EXPECT_EQ(testing::contents_of(target_), "new");
}

TEST_F(UnfinishedFileTest, RemovesItsNameOnASignal) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto write_and_die = [&] {
      remove_names_on_signals();
      Result<UnfinishedFile> file = UnfinishedFile::create_named(target_);
      raise(signal);
    };
    EXPECT_EXIT(write_and_die(), ::testing::KilledBySignal(signal), "");
    EXPECT_EQ(files_in(folder_.path()), 1);
  }
}

TEST_F(UnfinishedFileTest, FailsAtTheFileSizeLimit) {
  const auto write_too_much = [&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    Result<UnfinishedFile> file = UnfinishedFile::create(target_);
    file->out() << std::string(2000, 'x');
    const Status finished = file->finish();
    std::cerr << finished.error().detail;
    _exit(finished.ok() ? 0 : 2);
  };
  EXPECT_EXIT(write_too_much(), ::testing::ExitedWithCode(2), "File too large");
  EXPECT_EQ(testing::contents_of(target_), "old");
  EXPECT_EQ(files_in(folder_.path()), 1);
}

TEST_F(UnfinishedFileTest, KeepsTheModeOfReplacedFiles) {
  for (const fs::perms mode : {fs::perms(0600), fs::perms(0644), fs::perms(0755)}) {
    fs::permissions(target_, mode);
    write("new");
    EXPECT_EQ(fs::status(target_).permissions(), mode);
  }
}

TEST_F(UnfinishedFileTest, ReplacesTheTargetOfALink) {
  const fs::path link = folder_.path() / "latest.csv";
  fs::create_symlink("run.csv", link);
  target_ = link;
  write("new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(testing::contents_of(folder_.path() / "run.csv"), "new");
  EXPECT_FALSE(fs::is_symlink(folder_.path() / "run.csv"));
}

TEST_F(UnfinishedFileTest, RefusesALinkThatLeadsNowhere) {
  const fs::path link = folder_.path() / "latest.csv";
  fs::create_symlink("none.csv", link);
  const Result<UnfinishedFile> file = UnfinishedFile::create(link);
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(file.error().detail, HasSubstr("latest.csv: broken symbolic link"));
  EXPECT_TRUE(fs::is_symlink(link));
}

TEST_F(UnfinishedFileTest, WritesIntoDevices) {
  const fs::path device = folder_.path() / "null";
  fs::create_symlink("/dev/null", device);
  target_ = device;
  write("new");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_TRUE(fs::is_symlink(device));
  EXPECT_FALSE(UnfinishedFile::create_named(device).ok());
}

TEST_F(UnfinishedFileTest, FailsWhereTheDeviceIsFull) {
  for (const bool by_path : {false, true}) {
    Result<UnfinishedFile> file = UnfinishedFile::create("/dev/full");
    ASSERT_TRUE(file.ok());
    if (by_path) std::ofstream(file->path()) << "new";
    if (!by_path) file->out() << "new";
    const Status finished = file->finish();
    ASSERT_FALSE(finished.ok());
    EXPECT_THAT(finished.error().detail, HasSubstr("/dev/full: No space left on device"));
  }
}

TEST_F(UnfinishedFileTest, WritesIntoAFifo) {
  target_ = folder_.path() / "fifo";
  ASSERT_EQ(mkfifo(target_.c_str(), 0600), 0);
  for (const bool by_path : {false, true}) {
    std::future<std::string> read =
        std::async(std::launch::async, [this] { return testing::contents_of(target_); });
    Result<UnfinishedFile> file = UnfinishedFile::create(target_);
    ASSERT_TRUE(file.ok());
    if (by_path) std::ofstream(file->path()) << "new";
    if (!by_path) file->out() << "new";
    EXPECT_TRUE(file->finish().ok());
    { const UnfinishedFile closed = std::move(*file); }
    EXPECT_EQ(read.get(), "new");
  }
  EXPECT_TRUE(fs::is_fifo(target_));
}

// Not from its beginning: what was printed before stays.
TEST_F(UnfinishedFileTest, GoesOnWhereStandardOutputIs) {
  const auto print = [this] {
    const int output = open(target_.c_str(), O_WRONLY | O_APPEND);
    dup2(output, STDOUT_FILENO);
    Result<UnfinishedFile> file = UnfinishedFile::create("/dev/stdout");
    file->out() << " and new";
    _exit(file->finish().ok() ? 0 : 1);
  };
  EXPECT_EXIT(print(), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(testing::contents_of(target_), "old and new");
}

TEST_F(UnfinishedFileTest, RejectsReadOnlyFiles) {
  fs::permissions(target_, fs::perms(0400));
  const testing::OrdinaryUser user(folder_.path());
  EXPECT_THAT(UnfinishedFile::create(target_).error().detail, HasSubstr("Permission denied"));
}

TEST_F(UnfinishedFileTest, AcceptsTheLongestName) {
  const fs::path longest = folder_.path() / std::string(255, 'x');
  Result<UnfinishedFile> file = UnfinishedFile::create(longest);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->finish().ok());
  EXPECT_TRUE(fs::exists(longest));
}

TEST_F(UnfinishedFileTest, ExplainsInvalidTargets) {
  const auto no_folder = UnfinishedFile::create(folder_.path() / "none" / "run.csv");
  ASSERT_FALSE(no_folder.ok());
  EXPECT_THAT(no_folder.error().detail, HasSubstr("none/run.csv: No such file or directory"));

  fs::create_directory(folder_.path() / "folder");
  const auto folder = UnfinishedFile::create(folder_.path() / "folder");
  ASSERT_FALSE(folder.ok());
  EXPECT_THAT(folder.error().detail, HasSubstr("folder: Is a directory"));
  EXPECT_EQ(files_in(folder_.path()), 2);
}

}  // namespace
}  // namespace dlview::base
