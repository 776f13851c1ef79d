// DLProf's own CSV reports, written again from the raw tables of the same databases.

#include <memory>
#include <sstream>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/iterations.h"
#include "base/progress.h"
#include "import/open.h"
#include "report/dlprof/reports.h"
#include "report/writers/csv.h"
#include "support/file_contents.h"
#include "support/test_data.h"

namespace dlview::report::dlprof {
namespace {

class RealReports : public ::testing::TestWithParam<std::tuple<const char*, ReportInfo>> {};

TEST_P(RealReports, AreIdenticalToDlprofsToTheByte) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto& [run, info] = GetParam();
  const std::filesystem::path folder = *testing::test_data_folder() / "dlprof" / run;
  base::Progress progress;
  auto opened = import::open_profile(folder / "dlprof_dldb.sqlite", progress);
  ASSERT_TRUE(opened.ok()) << base::to_text(opened.error());
  const auto profile = std::make_shared<const profile::Profile>(*std::move(opened));
  const auto aggregation =
      aggregate::make_cpu_aggregator(profile)->aggregate(aggregate::default_selection(*profile));

  std::ostringstream written;
  write_csv(make_report(info.report, *profile, aggregation), written);
  const std::string expected =
      testing::contents_of(folder / (std::string(info.file_stem) + ".csv"));
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(written.str(), expected);
}

INSTANTIATE_TEST_SUITE_P(Dlprof18, RealReports,
                         ::testing::Combine(::testing::Values("no_relu", "with_relu"),
                                            ::testing::ValuesIn(kReports)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_" +
                                  std::string(std::get<1>(test.param).name);
                         });

}  // namespace
}  // namespace dlview::report::dlprof
