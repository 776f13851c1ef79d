// Reports of Nsight Systems, with a stand-in for the `nsys` that exports them.
#include "import/nsys/report_file.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <climits>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/descriptor.h"
#include "import/column_cache/folder.h"
#include "import/column_cache/identity.h"
#include "import/column_cache/store.h"
#include "import/nsys/test_export.h"
#include "import/open.h"
#include "import/variable.h"

namespace dlview::import::nsys {
namespace {

namespace fs = std::filesystem;
using testing::contents_of;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::open_for_test;
using testing::Variable;
using testing::write_file;

class ReportFile : public ::testing::Test {
 protected:
  fs::path path(const std::string& name) const { return folder_.path() / name; }

  // Puts a program called nsys on the PATH that notes its arguments.
  void install(const std::string& script) {
    fs::create_directories(path("bin"));
    write_file(path("bin/nsys"),
               "#!/bin/sh\necho \"$@\" >> " + path("calls").string() + "\n" + script + "\n");
    fs::permissions(path("bin/nsys"), fs::perms::owner_all);
  }
  // $7 is the file to write.
  void install_exporter() {
    testing::write_export(path("export.sqlite"));
    install("cp " + path("export.sqlite").string() + " \"$7\"");
  }
  fs::path write_report(const std::string& name = "a run.nsys-rep") {
    return write_file(path(name), std::string("\x01\x02\x00\x03", 4));
  }
  fs::path make_exports() const {
    fs::create_directories(path("cache/dlview/nsys-exports"));
    fs::permissions(path("cache/dlview/nsys-exports"), fs::perms::owner_all);
    return path("cache/dlview/nsys-exports");
  }
  std::string calls() const { return contents_of(path("calls")); }
  // Of an nsys that notes its process in the file "started".
  pid_t started_nsys() const {
    for (;;) {
      const std::string process = contents_of(path("started"));
      if (process.ends_with('\n')) return std::stoi(process);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  // Waits for it up to 10 s.
  static bool has_ended(pid_t process) {
    const std::string status = "/proc/" + std::to_string(process) + "/status";
    for (int looks = 0; looks < 1000; ++looks) {
      const std::string facts = contents_of(status);
      if (facts.empty() || facts.find("State:\tZ") != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  static void set_age(const fs::path& file, int days) {
    timespec times[2];
    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= days * 24 * 3600;
    times[1] = times[0];
    utimensat(AT_FDCWD, file.c_str(), times, 0);
  }

  testing::TemporaryFolder folder_, temporary_;
  Variable tmp_{"TMPDIR", temporary_.path().string()};
  Variable path_{"PATH", (folder_.path() / "bin").string() + ":/usr/bin:/bin"};
  Variable cache_{"XDG_CACHE_HOME", (folder_.path() / "cache").string()};
};

TEST_F(ReportFile, ExportsIntoTheCache) {
  install_exporter();
  const fs::path report = write_report();
  const auto result = open_for_test(report);
  ASSERT_TRUE(result.ok()) << testing::error_of(result);
  EXPECT_EQ(result->trace->kernels.size(), 2U);
  EXPECT_EQ(result->source.path, report.string());
  EXPECT_EQ(result->system.profile_name, "a run");
  EXPECT_THAT(calls(), HasSubstr("export --type sqlite --force-overwrite true --output"));
  EXPECT_THAT(calls(), HasSubstr(report.string()));
}

TEST_F(ReportFile, IsExportedOnceUntilItChanges) {
  install_exporter();
  const fs::path report = write_report("run.qdrep");
  ASSERT_TRUE(open_for_test(report).ok());
  const std::string once = calls();
  ASSERT_TRUE(open_for_test(report).ok());
  EXPECT_EQ(calls(), once);
  write_file(report, std::string("\x01\x02\x00\x03 more", 9));
  ASSERT_TRUE(open_for_test(report).ok());
  EXPECT_NE(calls(), once);
}

TEST_F(ReportFile, LeavesNothingBesideIt) {
  install_exporter();
  fs::create_directories(path("user"));
  const fs::path report = write_report("user/run.nsys-rep");
  const testing::FolderState before = testing::state_of(path("user"));
  ASSERT_TRUE(open_for_test(report).ok());
  EXPECT_EQ(testing::state_of(path("user")), before);
}

TEST_F(ReportFile, WithoutNsysTheCommandIsGiven) {
  const Variable empty("PATH", path("nothing").string());
  const fs::path report = write_report();
  const auto result = open_for_test(report);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().title, "The report has to be exported first");
  EXPECT_THAT(result.error().advice,
              HasSubstr("nsys export --type sqlite '" + report.string() + "'"));
}

TEST_F(ReportFile, ShowsTheErrorOfNsys) {
  install("echo 'Importer error: report is too new'; exit 3");
  const auto result = open_for_test(write_report());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().title, "The report cannot be exported");
  EXPECT_THAT(result.error().detail,
              HasSubstr("nsys exited with 3: Importer error: report is too new"));
  EXPECT_TRUE(fs::is_empty(path("cache/dlview/nsys-exports")));
}

TEST_F(ReportFile, ACancelEndsNsys) {
  install("echo $$ > " + path("started").string() + "; exec sleep 60");
  const fs::path report = write_report();
  base::Progress progress;
  std::jthread user([&] {
    started_nsys();
    progress.cancel();
  });
  const auto result = export_report(report, progress);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().title, "Canceled");
  EXPECT_TRUE(has_ended(started_nsys()));
  EXPECT_TRUE(fs::is_empty(path("cache/dlview/nsys-exports")));
}

TEST_F(ReportFile, TheEndOfDlviewEndsNsys) {
  install("echo $$ > " + path("started").string() + "; exec sleep 60");
  const fs::path report = write_report();
  const pid_t dlview = fork();
  if (dlview == 0) {
    base::Progress progress;
    _exit(export_report(report, progress).ok() ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  const pid_t nsys = started_nsys();
  kill(dlview, SIGINT);
  waitpid(dlview, nullptr, 0);
  EXPECT_TRUE(has_ended(nsys));
}

TEST_F(ReportFile, OldExportsAreRemoved) {
  install_exporter();
  const fs::path exports = make_exports();
  const fs::path old = write_file(exports / "old-0123456789abcdef.sqlite", "x");
  set_age(old, 31);
  const fs::path recent = write_file(exports / "recent-0123456789abcdef.sqlite", "x");
  ASSERT_TRUE(open_for_test(write_report()).ok());
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(recent));
}

TEST_F(ReportFile, KeepsWhatDlviewDidNotName) {
  install_exporter();
  const fs::path exports = make_exports();
  fs::create_directories(exports / "mine");
  const fs::path kept[] = {write_file(exports / "mine/notes", "x"),
                           write_file(exports / "notes.sqlite", "x"), exports / "mine"};
  const fs::path target = write_file(path("target"), "x");
  const fs::path link = exports / "link-0123456789abcdef.sqlite";
  fs::create_symlink(target, link);
  for (const fs::path& file : kept) set_age(file, 31);
  set_age(target, 31);
  ASSERT_TRUE(open_for_test(write_report()).ok());
  for (const fs::path& file : kept) EXPECT_TRUE(fs::exists(file)) << file;
  EXPECT_TRUE(fs::exists(target));
  EXPECT_TRUE(fs::is_symlink(link));
}

TEST_F(ReportFile, IgnoresLinkedFolders) {
  install_exporter();
  fs::create_directories(path("cache/dlview"));
  fs::create_directories(path("elsewhere"));
  fs::permissions(path("elsewhere"), fs::perms::owner_all | fs::perms::group_read);
  fs::create_directory_symlink(path("elsewhere"), path("cache/dlview/nsys-exports"));
  const auto mode = fs::status(path("elsewhere")).permissions();
  static_cast<void>(open_for_test(write_report()));
  EXPECT_EQ(fs::status(path("elsewhere")).permissions(), mode);
  EXPECT_TRUE(fs::is_empty(path("elsewhere")));
}

TEST_F(ReportFile, RemovesLeftoversOfKilledRuns) {
  install_exporter();
  const fs::path exports = make_exports();
  const fs::path left = exports / "unfinished-abc123", used = exports / "unfinished-abc124";
  for (const fs::path& folder : {left, used}) {
    fs::create_directory(folder);
    write_file(folder / "export.sqlite", "x");
    set_age(folder, 1);
  }
  const base::Descriptor lock(open(used.c_str(), O_RDONLY | O_DIRECTORY));
  ASSERT_EQ(flock(lock.get(), LOCK_EX | LOCK_NB), 0);
  ASSERT_TRUE(open_for_test(write_report()).ok());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(used / "export.sqlite"));
}

TEST_F(ReportFile, RepeatsUnusableExports) {
  install("cp " + write_file(path("none.sqlite"), "SQLite format 3").string() + " \"$7\"");
  const fs::path report = write_report();
  ASSERT_FALSE(open_for_test(report).ok());
  install_exporter();
  EXPECT_TRUE(open_for_test(report).ok());
}

TEST_F(ReportFile, CountsExportsInTheCache) {
  install_exporter();
  ASSERT_TRUE(open_for_test(write_report()).ok());
  ASSERT_EQ(report_exports().size(), 1U);
  const CacheFile exported = report_exports().front();
  EXPECT_EQ(exported.bytes, static_cast<int64_t>(fs::file_size(exported.path)));
  const fs::path columns = column_cache::cache_folder();
  EXPECT_TRUE(
      column_cache::make_room(columns, 1, {.most_bytes = exported.bytes, .spare_share = 0}));
  EXPECT_FALSE(fs::exists(exported.path));
}

TEST_F(ReportFile, ReusesExports) {
  install_exporter();
  const fs::path report = write_report();
  base::Progress progress;
  const fs::path exported = *export_report(report, progress);
  set_age(exported, 31);
  const fs::file_time_type changed = fs::last_write_time(exported);
  ASSERT_TRUE(export_report(report, progress).ok());
  EXPECT_EQ(fs::last_write_time(exported), changed);
  ASSERT_TRUE(export_report(write_report("other.nsys-rep"), progress).ok());
  EXPECT_TRUE(fs::exists(exported));
}

TEST_F(ReportFile, KeepsTheExportOfCachedColumns) {
  install_exporter();
  const fs::path report = write_report();
  base::Progress progress;
  CachedFile first(report);
  base::Result<profile::Profile> read = first.open(progress);
  ASSERT_TRUE(read.ok()) << testing::error_of(read);
  const auto identity = column_cache::identity_of(report);
  ASSERT_TRUE(identity);
  ASSERT_TRUE(
      column_cache::store(*read, *identity, column_cache::cache_folder(), {.spare_share = 0}, {})
          .ok());
  const fs::path exported = report_exports().front().path;
  set_age(exported, 31);
  const std::string once = calls();
  CachedFile again(report);
  const auto restored = again.open(progress);
  ASSERT_TRUE(restored.ok());
  EXPECT_EQ(again.maintenance(), CachedFile::Maintenance::check) << "it came out of the cache";
  EXPECT_EQ(restored->source.path, report.string());
  EXPECT_EQ(restored->system.profile_name, "a run");
  EXPECT_EQ(calls(), once);
  EXPECT_LT(fs::file_time_type::clock::now() - report_exports().front().last_used,
            std::chrono::minutes(5));
}

TEST_F(ReportFile, OfTheLongestNameIsExported) {
  install_exporter();
  const fs::path report = write_report(std::string(NAME_MAX - 9, 'r') + ".nsys-rep");
  const auto result = open_for_test(report);
  ASSERT_TRUE(result.ok()) << testing::error_of(result);
  EXPECT_EQ(result->system.profile_name, report.stem().string());
}

TEST_F(ReportFile, NamesTheReportInErrors) {
  install("cp " + write_file(path("none.sqlite"), "SQLite format 3").string() + " \"$7\"");
  const fs::path report = write_report();
  const auto result = open_for_test(report);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(testing::error_of(result), HasSubstr(report.string()));
  EXPECT_THAT(testing::error_of(result), Not(HasSubstr("nsys-exports")));
}

TEST_F(ReportFile, OpensDatabasesNamedLikeReports) {
  const auto result = open_for_test(testing::write_export(path("run.nsys-rep")));
  ASSERT_TRUE(result.ok()) << testing::error_of(result);
  EXPECT_EQ(result->trace->kernels.size(), 2U);
}

TEST_F(ReportFile, NamesGitLfsPointers) {
  const auto result = open_for_test(
      write_file(path("run.nsys-rep"), "version https://git-lfs.github.com/spec/v1\n"));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().title, "The file is a Git LFS pointer, not the profile itself");
}

}  // namespace
}  // namespace dlview::import::nsys
