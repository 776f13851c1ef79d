// Budgets as CI systems read them. xmllint checks the JUnit XML against junit.xsd.

#include "report/budget/outputs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/file_contents.h"
#include "support/test_data.h"
#include "support/tools.h"

namespace dlview::report::budget {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A file of so many budgets, and a verdict on each: the states in turn, half of them warnings.
struct Checked {
  explicit Checked(std::size_t count, std::vector<State> states = {State::kept}) {
    file.path = "ci/budget.toml";
    facts.file = "run.sqlite";
    facts.iterations = 58;
    facts.gpus = {{"NVIDIA H100", 8}};
    for (std::size_t i = 0; i < count; ++i) {
      Budget& budget = file.budgets.emplace_back();
      budget.name = fmt::format("budget {}", i);
      budget.metric = find_budget_metric("iteration_duration");
      budget.at_most = 310'000'000;
      budget.place = {static_cast<int64_t>(7 + 5 * i), 3};
    }
    for (std::size_t i = 0; i < count; ++i) {
      Judgement& judgement = verdicts.judgements.emplace_back();
      judgement.budget = &file.budgets[i];
      judgement.state = states[i % states.size()];
      judgement.value = 312'500'000;
      judgement.range = {12, 69};
      judgement.worst = {{57, 340'000'000}, {13, 330'000'000}};
      if (judgement.state != State::kept) judgement.reason = "312 ms is above 310 ms";
    }
  }
  Checked(const Checked&) = delete;
  Checked& operator=(const Checked&) = delete;
  CheckedRun run(Inconclusive inconclusive = Inconclusive::fail) const {
    return {file, facts, nullptr, verdicts, inconclusive};
  }

  BudgetFile file;
  RunFacts facts;
  Verdicts verdicts;
};

const std::vector<State> kAllStates{State::kept,           State::broken,
                                    State::inconclusive,   State::not_comparable,
                                    State::not_measurable, State::skipped};

constexpr const char* kHostile =
    "a|b <script>&amp; \"q\" 'x' `c` \x01\x1b[31m \xff\xef\xbf\xbf @me\n::error::x";

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// What xmllint says against the schema; empty = nothing.
std::string schema_errors(const std::string& xml) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "out.xml", said = folder.path() / "said";
  std::ofstream(file, std::ios::binary) << xml;
  const std::string command =
      fmt::format("xmllint --noout --schema {}/tests/report/budget/junit.xsd {} >{} 2>&1",
                  DLVIEW_SOURCE_DIR, file.string(), said.string());
  if (std::system(command.c_str()) == 0) return "";
  return testing::contents_of(said);
}

class Junit : public ::testing::Test {
 protected:
  void SetUp() override { DLVIEW_REQUIRE_TOOL("xmllint"); }
};

TEST_F(Junit, FollowsTheSchema) {
  Checked checked(12, kAllStates);
  checked.verdicts.judgements[1].reason = checked.verdicts.judgements[1].budget->name;
  checked.file.budgets[3].level = Level::warning;
  const std::string xml = junit_xml(checked.run());
  EXPECT_EQ(schema_errors(xml), "");
  EXPECT_EQ(count_of(xml, "<testcase "), 12U);
  EXPECT_EQ(count_of(xml, "<failure "), 7U);
  EXPECT_EQ(count_of(xml, "<skipped "), 2U);
  EXPECT_THAT(xml, AllOf(HasSubstr("tests=\"12\" failures=\"7\" errors=\"0\" skipped=\"2\""),
                         HasSubstr("classname=\"ci/budget.toml\""), HasSubstr("line=\"7\""),
                         HasSubstr("Worst iterations: 57 (340 ms)")));
  EXPECT_EQ(schema_errors(junit_error_xml("budget.toml", {"a", kHostile, "b"})), "");
}

TEST_F(Junit, EscapesTextsOfFiles) {
  Checked checked(2, {State::broken});
  checked.file.budgets[0].name = kHostile;
  checked.file.path = kHostile;
  checked.verdicts.judgements[1].reason = kHostile;
  EXPECT_EQ(schema_errors(junit_xml(checked.run())), "");
}

TEST_F(Junit, SchemaRefusesEqualNames) {
  Checked checked(2);
  checked.file.budgets[1].name = checked.file.budgets[0].name;
  EXPECT_THAT(schema_errors(junit_xml(checked.run())), HasSubstr("Duplicate"));
}

TEST(JunitXml, SkipsInconclusiveIfTheyPass) {
  const Checked checked(1, {State::inconclusive});
  EXPECT_THAT(junit_xml(checked.run()), HasSubstr("<failure "));
  EXPECT_THAT(junit_xml(checked.run(Inconclusive::pass)),
              AllOf(HasSubstr("<skipped "), Not(HasSubstr("<failure "))));
}

TEST(SummaryMarkdown, HasTheWorstRowsFirst) {
  const Checked checked(6, kAllStates);
  const std::string text = summary_markdown(checked.run());
  EXPECT_THAT(text, StartsWith("### Budgets: broken\n"));
  const auto row_of = [&text](const char* state) {
    return text.find(fmt::format("\n| {} |", state));
  };
  EXPECT_LT(row_of("broken"), row_of("not measurable"));
  EXPECT_LT(row_of("not measurable"), row_of("inconclusive"));
  EXPECT_LT(row_of("inconclusive"), row_of("skipped"));
  EXPECT_LT(row_of("skipped"), row_of("kept"));
  EXPECT_NE(row_of("kept"), std::string::npos);
}

TEST(SummaryMarkdown, FitsIntoTheLimit) {
  const Checked checked(9000, kAllStates);
  for (const std::size_t most : {std::size_t{1} << 20U, std::size_t{65'536}, std::size_t{1000}}) {
    const std::string text = summary_markdown(checked.run(), most);
    EXPECT_LE(text.size(), most);
    EXPECT_GT(text.size(), most / 2);
    std::smatch more;
    const bool has_more = std::regex_search(text, more, std::regex("\n(\\d+) more\n"));
    const std::size_t rows = count_of(text, "\n| ") - 1;  // without the header
    EXPECT_EQ(rows + (has_more ? std::stoul(more[1]) : 0), 9000U) << most;
  }
  EXPECT_EQ(summary_markdown(checked.run(), 50), "");
}

// Each row keeps its seven cells, and nothing becomes HTML or a mention.
TEST(SummaryMarkdown, EscapesTextsOfFiles) {
  Checked checked(1, {State::broken});
  checked.file.budgets[0].name = kHostile;
  const std::string text = summary_markdown(checked.run());
  const std::size_t row = text.find("\n| broken");
  ASSERT_NE(row, std::string::npos);
  const std::string line = text.substr(row + 1, text.find('\n', row + 1) - row - 1);
  EXPECT_EQ(std::ranges::count(line, '|'), 8);
  EXPECT_THAT(line, AllOf(Not(HasSubstr("<")), Not(HasSubstr(" @me")), Not(HasSubstr("\x1b"))));
}

TEST(Annotations, PointToTheBudget) {
  Checked checked(2, {State::broken, State::kept});
  EXPECT_EQ(github_annotations(checked.run()),
            "::error file=ci/budget.toml,line=7,col=3,title=budget 0%3A broken::312 ms is above "
            "310 ms\n");
  checked.file.budgets[0].level = Level::warning;
  EXPECT_THAT(github_annotations(checked.run()), StartsWith("::warning file="));
}

TEST(Annotations, CountWhatGitHubDoesNotShow) {
  const Checked checked(40, {State::broken});
  const std::string text = github_annotations(checked.run());
  EXPECT_EQ(count_of(text, "::error file="), 10U);
  EXPECT_THAT(text, HasSubstr("title=31 budgets more::"));
  const Checked ten(10, {State::broken});
  EXPECT_EQ(count_of(github_annotations(ten.run()), "::error file="), 10U);
  EXPECT_THAT(github_annotations(ten.run()), Not(HasSubstr("more")));
}

TEST(Annotations, PointToErrorsOfTheFile) {
  EXPECT_THAT(github_error_annotation("b.toml", {"Unknown key", "b.toml:7:3", "Delete it"}),
              StartsWith("::error file=b.toml,line=7,col=3,title=Unknown key::"));
  EXPECT_THAT(github_error_annotation("b.toml", {"Not found", "b.tomlx", "Check it"}),
              StartsWith("::error file=b.toml,title=Not found::"));
}

TEST(Annotations, StayOnOneLine) {
  Checked checked(1, {State::broken});
  checked.file.budgets[0].name = kHostile;
  checked.file.path = "a,b:c%d\n.toml";
  checked.verdicts.judgements[0].reason = kHostile;
  const std::string text = github_annotations(checked.run());
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
  EXPECT_THAT(text, StartsWith("::error file=a%2Cb%3Ac%25d\\x0a.toml,line=7,"));
  EXPECT_THAT(text, AllOf(HasSubstr("\\x0a::error::x"), Not(HasSubstr("\x1b"))));
}

TEST(CheckJson, HasEachBudget) {
  Checked checked(6, kAllStates);
  checked.file.budgets[0].name = kHostile;
  const auto json = nlohmann::json::parse(check_json(checked.run()));
  EXPECT_EQ(json["exit_code"], 1);
  ASSERT_EQ(json["budgets"].size(), 6U);
  EXPECT_EQ(json["budgets"][1]["state"], "broken");
  EXPECT_EQ(json["budgets"][1]["value"], 312'500'000);
  EXPECT_EQ(json["budgets"][1]["worst"][0]["iteration"], 57);
}

// What GitHub reads as a command begins a line.
TEST(CheckText, GivesAReasonOfAllBudgetsOnce) {
  Checked checked(3, {State::not_comparable});
  for (Judgement& judgement : checked.verdicts.judgements) {
    judgement.reason = "the file needs gpu = NVIDIA H100";
  }
  const std::string text = check_text(checked.run());
  EXPECT_THAT(text, HasSubstr("- 3 budgets: the file needs gpu"));
  EXPECT_EQ(text.find("the file needs"), text.rfind("the file needs"));
}

TEST(CheckText, HasNoWorkflowCommands) {
  Checked checked(2, {State::broken});
  checked.file.budgets[0].name = "::error::x";
  checked.facts.file = kHostile;
  std::istringstream lines(check_text(checked.run()));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const std::size_t first = line.find_first_not_of(' ');
    const std::string begin = first == std::string::npos ? "" : line.substr(first, 2);
    EXPECT_NE(begin, "::") << line;
  }
  EXPECT_GT(count, 5);
}

TEST(ExplainText, SuggestsTheNearestName) {
  const Checked checked(3);
  const auto text = explain_text(checked.file, nullptr, nullptr, {"budgit 1"});
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().advice, "Did you mean budget 1?");
  const auto one = explain_text(checked.file, nullptr, nullptr, {"budget 1"});
  ASSERT_TRUE(one.ok());
  EXPECT_THAT(*one, AllOf(HasSubstr("Duration of an iteration"), HasSubstr("at most 310 ms"),
                          Not(HasSubstr("budget 2"))));
}

// A tolerance within the noise is said before it costs a night; counts repeat exactly.
TEST(ExplainText, WarnsOfTolerancesBelowTheNoise) {
  const auto explained = [](const char* metric, double share) {
    Checked checked(1);
    Budget& budget = checked.file.budgets[0];
    budget.metric = find_budget_metric(metric);
    budget.at_most.reset();
    budget.worse_by = Tolerance{Tolerance::Kind::share, share, 0};
    return *explain_text(checked.file, nullptr, nullptr, {});
  };
  EXPECT_THAT(
      explained("iteration_duration", 0),
      AllOf(HasSubstr("Warning"), HasSubstr("0% is below the 2.6% by which unchanged captures")));
  EXPECT_THAT(explained("iteration_duration", 0.02), HasSubstr("Write \"learned\""));
  EXPECT_THAT(explained("iteration_duration", 0.05), Not(HasSubstr("Warning")));
  EXPECT_THAT(explained("kernel_launches", 0), Not(HasSubstr("Warning")));
}

}  // namespace
}  // namespace dlview::report::budget
