#include "import/cache_folders.h"

#include <filesystem>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/variable.h"
#include "support/test_data.h"

namespace dlview::import {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class CacheFolders : public ::testing::Test {
 protected:
  fs::path own() const { return folder_.path() / ("dlview-" + std::to_string(geteuid())); }

  testing::TemporaryFolder folder_;
  testing::Variable temporary_{"TMPDIR", folder_.path().string()};
  testing::Variable cache_{"XDG_CACHE_HOME", "/cache"};
};

TEST_F(CacheFolders, EndWithAFolderThatNobodyElseCanUse) {
  for (int times = 0; times < 2; ++times) {
    EXPECT_THAT(cache_folders(), ElementsAre("/cache/dlview", own()));
    struct stat facts {};
    ASSERT_EQ(lstat(own().c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777, 0700U);
  }
}

TEST_F(CacheFolders, LeaveOutALinkInItsPlace) {
  fs::create_directory(folder_.path() / "elsewhere");
  fs::permissions(folder_.path() / "elsewhere", fs::perms::owner_all);
  fs::create_directory_symlink(folder_.path() / "elsewhere", own());
  EXPECT_THAT(cache_folders(), ElementsAre("/cache/dlview"));
}

TEST_F(CacheFolders, LeaveOutAFolderThatOthersCanWriteTo) {
  fs::create_directory(own());
  fs::permissions(own(), fs::perms::all);
  EXPECT_THAT(cache_folders(), ElementsAre("/cache/dlview"));
}

TEST_F(CacheFolders, LeaveOutAFolderOfSomeoneElse) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  fs::create_directory(own());
  fs::permissions(own(), fs::perms::owner_all);
  ASSERT_EQ(chown(own().c_str(), 12345, 12345), 0);
  EXPECT_THAT(cache_folders(), ElementsAre("/cache/dlview"));
}

}  // namespace
}  // namespace dlview::import
