// Every stored value of the public DLProf databases, recomputed.

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
  int64_t rows;  // in all aggregated tables together
};

class RealDatabases : public ::testing::TestWithParam<RealDatabase> {};

TEST_P(RealDatabases, AreRecomputedInEveryRowOfEveryTableAndReport) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto folder = *testing::test_data_folder() / "dlprof" / GetParam().folder;
  base::Progress progress;
  const auto verification = verify_database(folder / GetParam().file, folder, progress);
  ASSERT_TRUE(verification.ok()) << base::to_text(verification.error());

  std::ostringstream printed;
  print(*verification, printed);
  EXPECT_TRUE(verification->all_match()) << printed.str();
  ASSERT_EQ(verification->aggregations.size(), 1u);
  int64_t rows = 0;
  for (const Check& check : verification->aggregations.front().tables) {
    EXPECT_EQ(check.matched, check.rows) << check.name;
    rows += check.rows;
  }
  EXPECT_EQ(rows, GetParam().rows);
  ASSERT_EQ(verification->reports.size(), 8u);
  for (const Check& check : verification->reports) {
    EXPECT_EQ(check.note, "identical to the byte") << check.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Dlprof18, RealDatabases,
                         ::testing::Values(RealDatabase{"no_relu", "dlprof_dldb.sqlite", 0},
                                           RealDatabase{"no_relu", "first_run.sqlite", 0},
                                           RealDatabase{"with_relu", "dlprof_dldb.sqlite", 0}),
                         [](const auto& test) {
                           return std::string(test.param.folder) + "_" +
                                  std::string(test.param.file,
                                              std::string_view(test.param.file).find('.'));
                         });

}  // namespace
}  // namespace dlview::verify
