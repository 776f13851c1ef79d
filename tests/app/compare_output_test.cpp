// What `dlview compare` prints of two runs with planted changes: summaries, Markdown, and cells
// without a value.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/command_support.h"
#include "app/commands/commands.h"
#include "app/run_support.h"
#include "generate/changes.h"
#include "generate/dlprof.h"

namespace dlview::app {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

class CompareOutput : public ::testing::Test {
 protected:
  // Of a generated run with this change.
  std::string run(const std::string& name, const std::string& change = {}, uint64_t seed = 1,
                  int64_t iterations = 30) {
    const std::string path = (folder_.path() / (name + ".sqlite")).string();
    generate::DemoOptions options{.iterations = iterations,
                                  .kernels = 24'000,
                                  .gpus = 2,
                                  .seed = seed,
                                  .noise = generate::PlantedNoise{3'000, 10'000}};
    if (!change.empty()) options.changes.push_back(*generate::parse_change(change));
    base::Progress progress;
    EXPECT_TRUE(generate::generate_dlprof(path, options, progress).ok());
    return path;
  }
  static std::string compare(std::vector<std::string> arguments) {
    CLI::App program{"dlview", "dlview"};
    ChosenCommand chosen;
    bind_compare(program, chosen);
    arguments.insert(arguments.begin(), "compare");
    const Outcome outcome = run_command_line(program, chosen, std::move(arguments));
    EXPECT_EQ(outcome.code, kExitSuccess) << outcome.err;
    return outcome.out;
  }

 private:
  testing::TemporaryFolder folder_;
};

TEST_F(CompareOutput, SummaryCountsReplacedAndRenamedWork) {
  const std::string before = run("before");
  EXPECT_THAT(compare({before, run("renamed", "renamed-layers", 2)}),
              ContainsRegex("What changed .*[0-9]+ ops renamed\n"));
  EXPECT_THAT(compare({before, run("replaced", "replaced-kernel", 2)}),
              ContainsRegex("What changed .*[0-9]+ kernels? replaced\n"));
}

TEST_F(CompareOutput, MarkdownBeginsWithTheResult) {
  const std::string before = run("before"), after = run("after", "renamed-layers", 2),
                    markdown = compare({before, after, "--format", "md"});
  EXPECT_THAT(markdown, MatchesRegex("\\*\\*[^\n]*\\*\\*\n\n- Before: [^\n]*, iterations [0-9:]+\n"
                                     "- After: [^\n]*, iterations [0-9:]+\n(.|\n)*"));
  const std::size_t tables = markdown.find("### ");
  ASSERT_NE(tables, std::string::npos);
  EXPECT_THAT(markdown.substr(0, tables),
              AllOf(HasSubstr("\n- What changed: "), HasSubstr("\n- Comparable: ")));
}

TEST_F(CompareOutput, MarkdownListsTheChecks) {
  const std::string path = run("one");
  const std::string markdown = compare({path, path, "--format", "md"});
  EXPECT_THAT(markdown,
              HasSubstr("- Comparable: with care\n  - Both profiles hold the same capture.\n"));
}

TEST_F(CompareOutput, CsvHasExactProbabilities) {
  const std::string before = run("before"), after = run("after", "slower-op=conv2d:1.3", 2),
                    csv = compare({before, after, "--csv", "verdict"});
  const nlohmann::json found = nlohmann::json::parse(compare({before, after, "--json"}));
  const double p = found["compared"]["p"];
  ASSERT_LT(p, 1e-3);
  EXPECT_THAT(csv, HasSubstr(fmt::format(",{},", p)));
}

TEST_F(CompareOutput, TextHasDashesWithoutStatistics) {
  const std::string before = run("before"), after = run("after", {}, 2);
  for (const char* const table : {"ops", "kernels", "waterfall", "verdict"}) {
    EXPECT_THAT(compare({before, after, "--table", table}), Not(HasSubstr("not recorded")))
        << table;
  }
  EXPECT_THAT(compare({before, after, "--table", "ops"}), HasSubstr(" –  "));
}

TEST_F(CompareOutput, SaysThatThereAreNoChecks) {
  const std::string before = run("before"), after = run("after", {}, 2);
  const std::vector<std::string> all{before, after, "--iterations", "5:29"};
  const auto with = [&all](std::vector<std::string> more) {
    more.insert(more.begin(), all.begin(), all.end());
    return compare(std::move(more));
  };
  ASSERT_TRUE(nlohmann::json::parse(with({"--json"}))["checks"].empty());
  constexpr const char* kNone = "All checks passed: the runs are comparable.\n";
  EXPECT_EQ(with({"--table", "checks"}), kNone);
  EXPECT_EQ(with({"--table", "checks", "--format", "md"}), kNone);
  EXPECT_THAT(compare({before, before, "--table", "checks"}), StartsWith("Checks\n"));
}

// The warm-up is in one of the ranges.
TEST_F(CompareOutput, ExplainsAMeanAgainstTheMedian) {
  const std::string before = run("before"), after = run("after", "slower-op=batch_norm:1.05", 2);
  EXPECT_THAT(compare({before, after, "--iterations", "0:29", "--iterations", "5:29"}),
              HasSubstr("warm-up or outliers distort the mean; the verdict uses the median\n"));
  EXPECT_THAT(compare({before, after, "--iterations", "5:29"}), Not(HasSubstr("Mean and median")));
}

}  // namespace
}  // namespace dlview::app
