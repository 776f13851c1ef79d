// The user's file and folder stay as they are, whatever state the database was left in.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "import/sqlite/database.h"
#include "import/sqlite/overlay.h"
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

constexpr const char* kThirdKernel =
    "INSERT INTO read_only_kernels SELECT 3, read_only_ops_id, op_instance, name_id, long_name_id, "
    "uses_tc, api_start, api_stop, gpu_start, gpu_stop, grid_id, block_id, device_id, process_id, "
    "thread_id FROM read_only_kernels WHERE id = 2;";

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

  // Kernels in the profile; checks that nothing changed and nothing was left behind.
  std::size_t open_and_count_kernels(const fs::path& file) {
    const auto before = state_of(file.parent_path());
    const auto result = open_for_test(file);
    EXPECT_TRUE(result.ok()) << error_of(result);
    EXPECT_EQ(state_of(file.parent_path()), before);
    EXPECT_TRUE(!fs::exists(cache_.path() / "dlview") || fs::is_empty(cache_.path() / "dlview"));
    return result ? result->kernels.size() : 0;
  }

  // A database with a third kernel in its -wal, and who writes it.
  TestDatabase leave_live_wal() {
    write_dlprof_database(path(), "PRAGMA journal_mode = WAL;");
    TestDatabase writer(path());
    writer.execute("PRAGMA wal_autocheckpoint = 0;");
    writer.execute(kThirdKernel);
    return writer;
  }

  // The state after a crash: pages of an unfinished transaction in the file, the old ones in the
  // journal.
  fs::path leave_hot_journal() {
    const fs::path left = crashed_.path() / "profile.sqlite";
    write_dlprof_database(path());
    const std::string committed = testing::contents_of(path());
    TestDatabase writer(path());
    writer.execute("PRAGMA cache_size = 2; BEGIN; DELETE FROM read_only_kernels;");
    writer.execute(
        "WITH RECURSIVE n(x) AS (SELECT 100 UNION ALL SELECT x + 1 FROM n WHERE x < 5000) INSERT "
        "INTO dictionary SELECT x, 'text ' || x FROM n;");
    fs::copy_file(path(), left);
    fs::copy_file(sibling("-journal"), left.string() + "-journal");
    EXPECT_NE(testing::contents_of(left), committed);
    return left;
  }

  testing::TemporaryFolder folder_, cache_, crashed_;
  std::string cache_before_;
};

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
  const TestDatabase writer = leave_live_wal();
  ASSERT_GT(fs::file_size(sibling("-wal")), 0U);
  EXPECT_EQ(open_and_count_kernels(path()), 3U);
}

TEST_F(ReadOnly, AWalIsFoundBesideTheTargetOfASymbolicLink) {
  const TestDatabase writer = leave_live_wal();
  testing::TemporaryFolder elsewhere;
  fs::create_symlink(path(), elsewhere.path() / "link.sqlite");
  EXPECT_EQ(open_and_count_kernels(elsewhere.path() / "link.sqlite"), 3U);
}

TEST_F(ReadOnly, AHotJournalIsRolledBack) {
  EXPECT_EQ(open_and_count_kernels(leave_hot_journal()), 2U);
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
  const TestDatabase writer = leave_live_wal();
  setenv("XDG_CACHE_HOME", testing::write_file(cache_.path() / "file", "").c_str(), 1);
  EXPECT_EQ(open_and_count_kernels(path()), 3U);
}

// pager.c, at writeSuperJournal(): the page of the locks, the name, its length, its sum, the magic.
std::string super_journal_trailer(const std::string& name) {
  const auto number = [](uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
    return bytes;
  };
  uint32_t sum = 0;
  for (const char c : name) sum += static_cast<uint32_t>(c);
  return number(262145) + name + number(static_cast<uint32_t>(name.size())) + number(sum) +
         "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
}

TEST_F(ReadOnly, KeepsAFileThatAJournalNames) {
  const fs::path left = leave_hot_journal();
  const fs::path victim = testing::write_file(cache_.path() / "victim", "precious");
  std::ofstream(left.string() + "-journal", std::ios::app | std::ios::binary)
      << super_journal_trailer(victim.string());
  const auto result = open_for_test(left);
  EXPECT_EQ(testing::contents_of(victim), "precious");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().title, "The journal names another file");
}

// Whatever a file makes SQLite ask for: the VFS knows the database and its companions alone.
TEST_F(ReadOnly, AnOverlayOpensAndRemovesNothingElse) {
  const fs::path left = leave_hot_journal();
  const fs::path victim = testing::write_file(cache_.path() / "victim", "precious");
  const base::Result<Inspection> inspection = inspect(left);
  ASSERT_TRUE(inspection.ok());
  const base::Progress progress;
  const base::Result<Overlay> overlay = Overlay::make(left, *inspection, progress);
  ASSERT_TRUE(overlay.ok());
  sqlite3_vfs* const vfs = sqlite3_vfs_find(overlay->vfs_name());
  ASSERT_NE(vfs, nullptr);
  EXPECT_NE(vfs->xDelete(vfs, victim.c_str(), 0), SQLITE_OK);
  std::vector<char> room(static_cast<std::size_t>(vfs->szOsFile));
  auto* const file = reinterpret_cast<sqlite3_file*>(room.data());
  for (const fs::path& path : {victim, cache_.path() / "new"}) {
    EXPECT_EQ(
        vfs->xOpen(vfs, path.c_str(), file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr),
        SQLITE_CANTOPEN);
  }
  EXPECT_EQ(testing::contents_of(victim), "precious");
  EXPECT_FALSE(fs::exists(cache_.path() / "new"));
}

TEST_F(ReadOnly, ALargeDatabaseIsNotCopiedForItsWal) {
  const TestDatabase writer = leave_live_wal();
  std::error_code failure;
  fs::resize_file(path(), uintmax_t{1} << 42, failure);  // sparse, and no disk has room for a copy
  if (failure) GTEST_SKIP() << "the file system cannot hold a sparse file of 4 TiB";
  const auto result = open_for_test(path());
  ASSERT_TRUE(result.ok()) << error_of(result);
  EXPECT_EQ(result->kernels.size(), 3U);
}

TEST_F(ReadOnly, CancelEndsTheRecoveryOfAWal) {
  const TestDatabase writer = leave_live_wal();
  base::Progress progress;
  progress.cancel();
  const auto result = open_read_only(path(), progress);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().title, "Canceled");
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
  const TestDatabase writer = leave_live_wal();
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
