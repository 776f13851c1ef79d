#include "import/sqlite/copy_folder.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "import/test_database.h"

namespace dlview::import::sqlite {
namespace {

namespace fs = std::filesystem;

class CopyFolderTest : public ::testing::Test {
 protected:
  CopyFolderTest() {
    const char* before = std::getenv("XDG_CACHE_HOME");
    if (before != nullptr) cache_before_ = before;
    setenv("XDG_CACHE_HOME", cache_.path().c_str(), 1);
  }
  ~CopyFolderTest() override {
    if (cache_before_.empty()) {
      unsetenv("XDG_CACHE_HOME");
    } else {
      setenv("XDG_CACHE_HOME", cache_before_.c_str(), 1);
    }
  }

  fs::path folder() const { return cache_.path() / "dlview"; }
  std::ptrdiff_t count() const {
    return std::distance(fs::directory_iterator(folder()), fs::directory_iterator());
  }

  testing::TemporaryFolder cache_;
  std::string cache_before_;
};

TEST_F(CopyFolderTest, IsForThisUserOnlyAndGoesWithItsObject) {
  {
    base::Result<CopyFolder> made = CopyFolder::make("profile.sqlite", 1);
    ASSERT_TRUE(made.ok());
    const CopyFolder copy = std::move(*made);
    EXPECT_EQ(copy.path().parent_path(), folder());
    EXPECT_EQ(fs::status(copy.path()).permissions(), fs::perms::owner_all);
    testing::write_file(copy.path() / "copy.sqlite", "x");
    EXPECT_EQ(count(), 1);
  }
  EXPECT_EQ(count(), 0);
}

TEST_F(CopyFolderTest, OneInUseIsNotAbandoned) {
  const base::Result<CopyFolder> copy = CopyFolder::make("profile.sqlite", 1);
  ASSERT_TRUE(copy.ok());
  remove_abandoned_copies();
  EXPECT_TRUE(fs::exists(copy->path()));
}

// The lock goes with the process, however that ends.
TEST_F(CopyFolderTest, OneOfAKilledProcessIsRemovedAtTheNextStart) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const base::Result<CopyFolder> copy = CopyFolder::make("profile.sqlite", 1);
    if (copy) testing::write_file(copy->path() / "copy.sqlite", "x");
    const char byte = 0;
    if (!copy || write(ready[1], &byte, 1) != 1) _exit(1);
    while (true) pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  remove_abandoned_copies();
  EXPECT_EQ(count(), 1);

  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(count(), 1);
  testing::TemporaryFolder elsewhere;
  ASSERT_TRUE(
      testing::open_for_test(testing::write_dlprof_database(elsewhere.path() / "p.sqlite")).ok());
  EXPECT_EQ(count(), 0);
}

TEST_F(CopyFolderTest, WhatOthersKeepThereStays) {
  fs::create_directories(folder() / "copy-abcdef");
  fs::create_directories(folder() / "dlview-copy-of-mine");
  testing::write_file(folder() / "dlview-copy-abcdef", "a file");
  fs::create_directories(cache_.path() / "target");
  fs::create_directory_symlink(cache_.path() / "target", folder() / "dlview-copy-link01");
  remove_abandoned_copies();
  EXPECT_EQ(count(), 4);
  EXPECT_TRUE(fs::exists(cache_.path() / "target"));
}

}  // namespace
}  // namespace dlview::import::sqlite
