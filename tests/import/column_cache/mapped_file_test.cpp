#include "import/column_cache/mapped_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace dlview::import::column_cache {
namespace {

namespace fs = std::filesystem;

class MappedFileTest : public ::testing::Test {
 protected:
  MappedFileTest() { std::ofstream(path_) << std::string(kBytes, 'x'); }
  ~MappedFileTest() override { fs::remove(path_); }

  static std::size_t count(std::span<const std::byte> bytes, char wanted) {
    return static_cast<std::size_t>(std::ranges::count(bytes, static_cast<std::byte>(wanted)));
  }

  static constexpr std::size_t kBytes = 10'000'001;
  fs::path path_ =
      fs::path(::testing::TempDir()) / ("mapped_file_test_" + std::to_string(getpid()));
  std::stop_source stop_;
};

TEST_F(MappedFileTest, ReadsZerosWhenTheFileShrinks) {
  const auto file = MappedFile::open(path_, 1);
  ASSERT_TRUE(file);
  fs::resize_file(path_, 0);
  EXPECT_EQ(count(file->bytes(), 0), kBytes);
  EXPECT_TRUE(MappedFile::Copy(*file, stop_.get_token()).bytes().empty());
}

TEST_F(MappedFileTest, KeepsItsBytesOnceTheCopyTookPlace) {
  const auto file = MappedFile::open(path_, 1);
  ASSERT_TRUE(file);
  MappedFile::Copy copy(*file, stop_.get_token());
  ASSERT_EQ(copy.bytes().size(), kBytes);
  ASSERT_TRUE(copy.take_place());
  std::ofstream(path_) << "other";
  EXPECT_EQ(count(file->bytes(), 'x'), kBytes);
}

TEST_F(MappedFileTest, RefusesShortFilesAndFolders) {
  EXPECT_FALSE(MappedFile::open(path_, kBytes + 1));
  EXPECT_FALSE(MappedFile::open(::testing::TempDir(), 1));
}

TEST_F(MappedFileTest, DoesNotWaitForTheWriterOfAFifo) {
  fs::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_FALSE(MappedFile::open(path_, 1));
}

TEST_F(MappedFileTest, StopsCopyingWhenTold) {
  const auto file = MappedFile::open(path_, 1);
  stop_.request_stop();
  EXPECT_TRUE(MappedFile::Copy(*file, stop_.get_token()).bytes().empty());
}

}  // namespace
}  // namespace dlview::import::column_cache
