#include "report/dlprof/write_reports.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/iterations.h"
#include "support/random_profile.h"
#include "support/test_data.h"

namespace dlview::report::dlprof {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Report> reports_of(std::string_view list) {
  const auto reports = parse_report_list(list);
  EXPECT_TRUE(reports.ok()) << list;
  return reports.ok() ? *reports : std::vector<Report>();
}

TEST(ReportList, TakesDlprofsNamesInAnyOrder) {
  EXPECT_THAT(reports_of("kernel,summary,kernel"), ElementsAre(Report::summary, Report::kernel));
  EXPECT_THAT(reports_of("detailed,group_node,tensor_core"),
              ElementsAre(Report::detail, Report::tensor, Report::group_op));
  EXPECT_EQ(reports_of("all").size(), kReports.size());
  for (const ReportInfo& info : kReports) {
    EXPECT_THAT(reports_of(info.name), ElementsAre(info.report));
  }
}

TEST(ReportList, NamesValidNames) {
  for (const char* list : {"kernels", "", "kernel,", "all,none", "Kernel"}) {
    const auto reports = parse_report_list(list);
    ASSERT_FALSE(reports.ok()) << list;
    EXPECT_EQ(reports.error().advice,
              "Valid values: all, summary, detail, iteration, kernel, tensor, op_type, group_op, "
              "expert_systems");
  }
}

TEST(FormatList, TakesCsvAndJson) {
  EXPECT_THAT(*parse_format_list("json,csv,json"), ElementsAre(Format::json, Format::csv));
  const auto unknown = parse_format_list("xml");
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().title, HasSubstr("\"xml\""));
  EXPECT_THAT(unknown.error().advice, HasSubstr("csv, json"));
}

class WriteReports : public ::testing::Test {
 protected:
  WriteReports() {
    profile::Profile profile = testing::random_profile();
    profile.source.path = (folder_.path() / "dlprof_kernel.csv").string();
    std::ofstream(profile.source.path) << "the database";
    profile_ = std::make_shared<const profile::Profile>(std::move(profile));
    aggregation_ = aggregate::make_cpu_aggregator(profile_)->aggregate(
        aggregate::default_selection(*profile_));
  }

  auto write(const fs::path& folder) const {
    return write_reports(*profile_, aggregation_, {Report::op_type, Report::kernel},
                         {Format::csv, Format::json}, folder);
  }

  testing::TemporaryFolder folder_;
  std::shared_ptr<const profile::Profile> profile_;
  aggregate::Aggregation aggregation_;
};

TEST_F(WriteReports, CreatesFolderAndFiles) {
  const fs::path folder = folder_.path() / "a" / "b";
  const auto written = write(folder);
  ASSERT_TRUE(written.ok()) << base::to_text(written.error());
  EXPECT_THAT(*written, ElementsAre(folder / "dlprof_op_type.csv", folder / "dlprof_op_type.json",
                                    folder / "dlprof_kernel.csv", folder / "dlprof_kernel.json"));
  for (const fs::path& file : *written) EXPECT_GT(fs::file_size(file), 100u) << file;
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 4);
}

TEST_F(WriteReports, RefusesToOverwriteTheOpenedFile) {
  const auto written = write(folder_.path());
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().detail, HasSubstr("dlprof_kernel.csv is the file that was opened"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1);
  std::ifstream in(profile_->source.path);
  std::string content;
  std::getline(in, content);
  EXPECT_EQ(content, "the database");
}

TEST_F(WriteReports, FailsWhereNoFolderCanBe) {
  const auto written = write(profile_->source.path);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().title, "Cannot create the output folder");
}

TEST_F(WriteReports, FailsWhenAFolderHasIt) {
  const fs::path folder = folder_.path() / "out";
  fs::create_directories(folder / "dlprof_op_type.csv");
  const auto written = write(folder);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().title, "A file cannot be written");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

}  // namespace
}  // namespace dlview::report::dlprof
