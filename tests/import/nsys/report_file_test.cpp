// Reports of Nsight Systems, with a stand-in for the `nsys` that exports them.
#include "import/nsys/report_file.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/nsys/test_export.h"

namespace dlview::import::nsys {
namespace {

namespace fs = std::filesystem;
using testing::contents_of;
using ::testing::HasSubstr;
using testing::open_for_test;
using testing::write_file;

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { setenv(name_, before_.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
};

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
  std::string calls() const { return contents_of(path("calls")); }

  testing::TemporaryFolder folder_;
  Variable path_{"PATH", (folder_.path() / "bin").string() + ":/usr/bin:/bin"};
  Variable cache_{"XDG_CACHE_HOME", (folder_.path() / "cache").string()};
};

TEST_F(ReportFile, IsExportedIntoTheCacheAndOpened) {
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
              HasSubstr("nsys export --type sqlite \"" + report.string() + "\""));
}

TEST_F(ReportFile, WhatNsysSaysIsShownWhenItFails) {
  install("echo 'Importer error: report is too new'; exit 3");
  const auto result = open_for_test(write_report());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().title, "The report cannot be exported");
  EXPECT_THAT(result.error().detail,
              HasSubstr("nsys ended with 3 and says: Importer error: report is too new"));
  EXPECT_TRUE(fs::is_empty(path("cache/dlview/nsys-exports")));
}

TEST_F(ReportFile, ACancelEndsNsys) {
  install("exec sleep 60");
  base::Progress progress;
  progress.cancel();
  const auto result = export_report(write_report(), progress);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().title, "Cancelled");
  EXPECT_TRUE(fs::is_empty(path("cache/dlview/nsys-exports")));
}

TEST_F(ReportFile, OldExportsAreRemoved) {
  install_exporter();
  fs::create_directories(path("cache/dlview/nsys-exports"));
  const fs::path old = write_file(path("cache/dlview/nsys-exports/old.sqlite"), "x");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(24 * 31));
  const fs::path recent = write_file(path("cache/dlview/nsys-exports/recent.sqlite"), "x");
  ASSERT_TRUE(open_for_test(write_report()).ok());
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(recent));
}

TEST_F(ReportFile, ADatabaseUnderTheNameOfAReportIsOpenedAsItIs) {
  const auto result = open_for_test(testing::write_export(path("run.nsys-rep")));
  ASSERT_TRUE(result.ok()) << testing::error_of(result);
  EXPECT_EQ(result->trace->kernels.size(), 2U);
}

TEST_F(ReportFile, AGitLfsPointerIsStillNamed) {
  const auto result = open_for_test(
      write_file(path("run.nsys-rep"), "version https://git-lfs.github.com/spec/v1\n"));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().title, "The file is a Git LFS pointer, not the database itself");
}

}  // namespace
}  // namespace dlview::import::nsys
