// Databases whose stored values come from the slow reference: several iterations, Tensor Cores and
// several GPUs, which no public database has.

#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/iterations.h"
#include "aggregate/reference/reference.h"
#include "base/progress.h"
#include "generate/dlprof.h"
#include "import/open.h"
#include "report/dlprof/write_reports.h"
#include "support/file_contents.h"
#include "support/test_data.h"
#include "verify/verify.h"

namespace dlview::verify {
namespace {

using generate::Framework;
using report::dlprof::Report;

generate::DemoOptions options(uint64_t seed, Framework framework) {
  generate::DemoOptions demo;
  demo.iterations = 200;
  demo.kernels = 12'000;
  demo.gpus = 4;
  demo.framework = framework;
  demo.seed = seed;
  return demo;
}

class GeneratedDatabases : public ::testing::TestWithParam<std::tuple<uint64_t, Framework>> {};

TEST_P(GeneratedDatabases, MatchInEveryRow) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "generated.sqlite";
  const auto [seed, framework] = GetParam();
  base::Progress progress;
  ASSERT_TRUE(generate::generate_dlprof(path, options(seed, framework), progress).ok());

  const auto verification = verify_database(path, std::nullopt, progress);
  ASSERT_TRUE(verification.ok()) << base::to_text(verification.error());
  std::ostringstream printed;
  print(*verification, printed);
  EXPECT_TRUE(verification->all_match()) << printed.str();
  const AggregationCheck& aggregation = verification->aggregations.front();
  EXPECT_EQ(aggregation.selection.cut.kind, aggregate::CutKind::start);
  EXPECT_GE(aggregation.iteration_count, 200);
  for (const Check& check : aggregation.tables) {
    EXPECT_GT(check.rows, 0) << check.name;
    if (check.name == "kernel_iteration_node") {
      EXPECT_EQ(check.rows, 12'000);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, GeneratedDatabases,
                         ::testing::Values(std::tuple{1, Framework::pytorch},
                                           std::tuple{2, Framework::tensorflow},
                                           std::tuple{3, Framework::pytorch}));

// Reports made from the reference's numbers, then compared with the engine's like DLProf's own.
TEST(GeneratedReports, OfARangeAgreeWithTheSlowReference) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "generated.sqlite";
  base::Progress progress;
  ASSERT_TRUE(generate::generate_dlprof(path, options(5, Framework::pytorch), progress).ok());
  auto opened = import::open_profile(path, progress);
  ASSERT_TRUE(opened.ok());
  const auto profile = std::make_shared<const profile::Profile>(*std::move(opened));

  const aggregate::Selection selection{aggregate::default_cut(*profile), {50, 100}};
  const auto write = [&](aggregate::Aggregator& aggregator, const char* name) {
    std::vector<Report> all;
    for (const auto& info : report::dlprof::kReports) all.push_back(info.report);
    return report::dlprof::write_reports(*profile, aggregator.aggregate(selection), all,
                                         {report::dlprof::Format::csv}, folder.path() / name);
  };
  ASSERT_TRUE(write(*aggregate::make_reference_aggregator(profile), "reference").ok());
  ASSERT_TRUE(write(*aggregate::make_cpu_aggregator(profile), "engine").ok());
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "reference")) {
    const auto text = [&](const char* name) {
      return testing::contents_of(folder.path() / name / entry.path().filename());
    };
    EXPECT_EQ(text("engine"), text("reference")) << entry.path().filename();
    EXPECT_GT(text("engine").size(), 100u) << entry.path().filename();
  }
}

}  // namespace
}  // namespace dlview::verify
