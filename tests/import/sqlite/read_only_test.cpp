// The user's file and folder stay as they are, whatever state the database was left in.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/sqlite/database.h"
#include "import/sqlite/private_copy.h"
#include "import/test_database.h"

namespace dlview::import::sqlite {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using ::testing::HasSubstr;
using testing::open_for_test;
using testing::state_of;
using testing::TestDatabase;
using testing::write_dlprof_database;

class ReadOnly : public ::testing::Test {
 protected:
  ReadOnly() {
    const char* before = std::getenv("XDG_CACHE_HOME");
    if (before != nullptr) cache_before_ = before;
    setenv("XDG_CACHE_HOME", cache_.path().c_str(), 1);
  }
  ~ReadOnly() override {
    if (cache_before_.empty()) {
      unsetenv("XDG_CACHE_HOME");
    } else {
      setenv("XDG_CACHE_HOME", cache_before_.c_str(), 1);
    }
  }

  fs::path path() const { return folder_.path() / "profile.sqlite"; }
  fs::path sibling(const char* suffix) const { return path().string() + suffix; }

  // Kernels in the profile; checks that nothing changed and no private copy was left behind.
  std::size_t open_and_count_kernels(const fs::path& file) {
    const auto before = state_of(file.parent_path());
    const auto result = open_for_test(file);
    EXPECT_TRUE(result.ok()) << error_of(result);
    EXPECT_EQ(state_of(file.parent_path()), before);
    EXPECT_TRUE(!fs::exists(cache_.path() / "dlview") || fs::is_empty(cache_.path() / "dlview"));
    return result ? result->kernels.size() : 0;
  }

  testing::TemporaryFolder folder_, cache_;
  std::string cache_before_;
};

constexpr const char* kThirdKernel =
    "INSERT INTO read_only_kernels SELECT 3, read_only_ops_id, op_instance, name_id, long_name_id, "
    "uses_tc, api_start, api_stop, gpu_start, gpu_stop, grid_id, block_id, device_id, process_id, "
    "thread_id FROM read_only_kernels WHERE id = 2;";

TEST_F(ReadOnly, AClosedDatabaseIsReadInPlace) {
  write_dlprof_database(path());
  EXPECT_EQ(open_and_count_kernels(path()), 2U);
  EXPECT_FALSE(fs::exists(cache_.path() / "dlview"));
}

TEST_F(ReadOnly, AReadOnlyFolderIsEnough) {
  write_dlprof_database(path());
  fs::permissions(path(), fs::perms::owner_read);
  fs::permissions(folder_.path(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(open_and_count_kernels(path()), 2U);
  fs::permissions(folder_.path(), fs::perms::owner_all);
}

TEST_F(ReadOnly, ADatabaseInWalModeWithoutAWalIsReadInPlace) {
  write_dlprof_database(path(), "PRAGMA journal_mode = WAL;");
  ASSERT_FALSE(fs::exists(sibling("-wal")));
  EXPECT_EQ(open_and_count_kernels(path()), 2U);
  EXPECT_FALSE(fs::exists(cache_.path() / "dlview"));
}

TEST_F(ReadOnly, ALiveWalIsHonoured) {
  write_dlprof_database(path(), "PRAGMA journal_mode = WAL;");
  TestDatabase writer(path());
  writer.execute("PRAGMA wal_autocheckpoint = 0;");
  writer.execute(kThirdKernel);
  ASSERT_GT(fs::file_size(sibling("-wal")), 0U);
  EXPECT_EQ(open_and_count_kernels(path()), 3U);
}

TEST_F(ReadOnly, AWalIsFoundBesideTheTargetOfASymbolicLink) {
  write_dlprof_database(path(), "PRAGMA journal_mode = WAL;");
  TestDatabase writer(path());
  writer.execute("PRAGMA wal_autocheckpoint = 0;");
  writer.execute(kThirdKernel);
  testing::TemporaryFolder elsewhere;
  fs::create_symlink(path(), elsewhere.path() / "link.sqlite");
  EXPECT_EQ(open_and_count_kernels(elsewhere.path() / "link.sqlite"), 3U);
}

// The state after a crash: pages of an unfinished transaction in the file, the old ones in the
// journal.
TEST_F(ReadOnly, AHotJournalIsRolledBackInThePrivateCopy) {
  testing::TemporaryFolder crashed;
  const fs::path left = crashed.path() / "profile.sqlite";
  write_dlprof_database(path());
  const std::string committed = testing::contents_of(path());
  {
    TestDatabase writer(path());
    writer.execute("PRAGMA cache_size = 2; BEGIN; DELETE FROM read_only_kernels;");
    writer.execute(
        "WITH RECURSIVE n(x) AS (SELECT 100 UNION ALL SELECT x + 1 FROM n WHERE x < 5000) INSERT "
        "INTO dictionary SELECT x, 'text ' || x FROM n;");
    fs::copy_file(path(), left);
    fs::copy_file(sibling("-journal"), left.string() + "-journal");
  }
  ASSERT_NE(testing::contents_of(left), committed);
  EXPECT_EQ(open_and_count_kernels(left), 2U);
}

TEST_F(ReadOnly, AJournalThatIsDoneIsIgnored) {
  write_dlprof_database(path(), "PRAGMA journal_mode = PERSIST; UPDATE db_version SET id = 2;");
  ASSERT_GT(fs::file_size(sibling("-journal")), 0U);
  EXPECT_EQ(open_and_count_kernels(path()), 2U);
  EXPECT_FALSE(fs::exists(cache_.path() / "dlview"));
}

TEST_F(ReadOnly, PathsMayHoldAnyCharacter) {
  for (const char* name :
       {"with space.sqlite", "per%20cent.sqlite", "what?mode=rw.sqlite", "number#1.sqlite",
        "Größe 北京 🙂.sqlite", "a&b='c\"d\\e;f+g.sqlite", "no-utf8-\xff.sqlite"}) {
    EXPECT_EQ(open_and_count_kernels(write_dlprof_database(folder_.path() / name)), 2U) << name;
  }
}

TEST_F(ReadOnly, TheTemporaryFolderServesWhenTheCacheCannotBeUsed) {
  write_dlprof_database(path(), "PRAGMA journal_mode = WAL;");
  TestDatabase writer(path());
  writer.execute("PRAGMA wal_autocheckpoint = 0;");
  writer.execute(kThirdKernel);
  setenv("XDG_CACHE_HOME", testing::write_file(cache_.path() / "file", "").c_str(), 1);
  EXPECT_EQ(open_and_count_kernels(path()), 3U);
}

TEST_F(ReadOnly, SpaceForThePrivateCopyIsCheckedFirst) {
  write_dlprof_database(path());
  testing::write_file(sibling("-wal"), "x");
  std::error_code failure;
  fs::resize_file(sibling("-wal"), uintmax_t{1} << 43, failure);  // sparse
  if (failure) GTEST_SKIP() << "the file system cannot hold a sparse file of 8 TiB";
  const auto result = open_for_test(path());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().title, "Not enough space for a private copy");
  EXPECT_THAT(result.error().detail, HasSubstr("free"));
  EXPECT_TRUE(fs::is_empty(cache_.path() / "dlview"));
}

TEST_F(ReadOnly, ACancelledCopyIsRemoved) {
  write_dlprof_database(path());
  testing::write_file(sibling("-wal"), "x");
  const base::Result<Inspection> inspection = inspect(path());
  ASSERT_TRUE(inspection.ok());
  base::Progress progress;
  progress.cancel();
  const auto copy = PrivateCopy::make(path(), *inspection, progress);
  ASSERT_FALSE(copy.ok());
  EXPECT_EQ(copy.error().title, "Cancelled");
  EXPECT_TRUE(fs::is_empty(cache_.path() / "dlview"));
}

TEST_F(ReadOnly, AFileThatChangesAfterTheFirstLookIsNoticed) {
  write_dlprof_database(path());
  base::Progress progress;
  const base::Result<Database> database = open_read_only(path(), progress);
  ASSERT_TRUE(database.ok());
  EXPECT_FALSE(database->file().has_changed());
  TestDatabase(path()).execute(kThirdKernel);
  EXPECT_TRUE(database->file().has_changed());
}

TEST_F(ReadOnly, SeveralThreadsMayOpenTheSameFile) {
  write_dlprof_database(path(), "PRAGMA journal_mode = WAL;");
  TestDatabase writer(path());
  writer.execute("PRAGMA wal_autocheckpoint = 0;");
  writer.execute(kThirdKernel);
  std::array<std::size_t, 4> kernels{};
  {
    std::vector<std::jthread> threads;
    for (std::size_t& count : kernels) {
      threads.emplace_back([this, &count] {
        const auto result = open_for_test(path());
        if (result.ok()) count = result->kernels.size();
      });
    }
  }
  EXPECT_THAT(kernels, ::testing::Each(3U));
}

// A lock shows to other processes only, so a child holds it.
TEST_F(ReadOnly, AFileThatIsBeingWrittenIsRefused) {
  write_dlprof_database(path());
  int ready[2], done[2];
  ASSERT_EQ(pipe(ready) + pipe(done), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    TestDatabase writer(path());
    writer.execute("BEGIN EXCLUSIVE;");
    char byte = 0;
    const bool told = write(ready[1], &byte, 1) == 1;
    _exit(told && read(done[0], &byte, 1) == 1 ? 0 : 1);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  const auto result = open_for_test(path());
  ASSERT_EQ(write(done[1], &byte, 1), 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().title, "The file is being written");
}

}  // namespace
}  // namespace dlview::import::sqlite
