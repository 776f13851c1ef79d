// Every stored value of the public DLProf databases and every cell of their reports, recomputed.

#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "base/progress.h"
#include "support/test_data.h"
#include "verify/verify.h"

namespace dlview::verify {
namespace {

struct RealDatabase {
  const char* folder;
  const char* file;
  int64_t rows;      // in all aggregated tables together
  bool has_reports;  // those in the folder are of this run
};

class RealDatabases : public ::testing::TestWithParam<RealDatabase> {
 protected:
  // Verifies the database and its reports, and prints what does not match.
  void verify() {
    const auto folder = *testing::test_data_folder() / "dlprof" / GetParam().folder;
    base::Progress progress;
    const std::optional<std::filesystem::path> none;
    auto result =
        verify_database(folder / GetParam().file, GetParam().has_reports ? folder : none, progress);
    ASSERT_TRUE(result.ok()) << base::to_text(result.error());
    verification_ = *std::move(result);
    std::ostringstream printed;
    print(verification_, printed);
    EXPECT_TRUE(verification_.all_match()) << printed.str();
  }

  Verification verification_;
};

TEST_P(RealDatabases, MatchInEveryRow) {
  DLVIEW_REQUIRE_TEST_DATA();
  ASSERT_NO_FATAL_FAILURE(verify());
  ASSERT_EQ(verification_.aggregations.size(), 1u);
  const AggregationCheck& aggregation = verification_.aggregations.front();
  EXPECT_EQ(aggregation.selection.cut.kind, aggregate::CutKind::start);
  EXPECT_EQ(aggregation.tables.size(), 14u);
  int64_t rows = 0;
  for (const Check& check : aggregation.tables) {
    EXPECT_EQ(check.matched, check.rows) << check.name;
    EXPECT_EQ(check.note, "") << check.name;
    rows += check.rows;
  }
  EXPECT_EQ(rows, GetParam().rows);
}

class RealReports : public RealDatabases {};

TEST_P(RealReports, AreIdenticalToTheByte) {
  DLVIEW_REQUIRE_TEST_DATA();
  ASSERT_NO_FATAL_FAILURE(verify());
  EXPECT_EQ(verification_.reports.size(), 8u);
  for (const Check& check : verification_.reports) {
    EXPECT_EQ(check.note, "byte for byte identical") << check.name;
    EXPECT_GT(check.rows, 0) << check.name;
  }
}

constexpr RealDatabase kNoRelu{"no_relu", "dlprof_dldb.sqlite", 223, true};
constexpr RealDatabase kWithRelu{"with_relu", "dlprof_dldb.sqlite", 248, true};
constexpr RealDatabase kFirstRun{"no_relu", "first_run.sqlite", 224, false};

std::string name_of(const ::testing::TestParamInfo<RealDatabase>& test) {
  const std::string_view file = test.param.file;
  return std::string(test.param.folder) + "_" + std::string(file.substr(0, file.find('.')));
}

INSTANTIATE_TEST_SUITE_P(Dlprof18, RealDatabases, ::testing::Values(kNoRelu, kWithRelu, kFirstRun),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Dlprof18, RealReports, ::testing::Values(kNoRelu, kWithRelu), name_of);

}  // namespace
}  // namespace dlview::verify
