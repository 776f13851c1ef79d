// dlview compare and dlview definitions as scripts see them.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "aggregate/outliers.h"
#include "app/about.h"
#include "app/command_support.h"
#include "app/commands/commands.h"
#include "app/run_support.h"
#include "generate/capture.h"
#include "generate/programs/training.h"
#include "support/file_contents.h"

namespace dlview::app {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

using Json = nlohmann::json;

Outcome dlview_compare(std::vector<std::string> arguments) {
  CLI::App program{"dlview", "dlview"};
  ChosenCommand chosen;
  bind_compare(program, chosen);
  bind_list_definitions(program, chosen);
  return run_command_line(program, chosen, std::move(arguments));
}

class CompareCommand : public ::testing::Test {
 protected:
  void SetUp() override { write_run(path_); }
  Json compare(std::vector<std::string> more) const {
    std::vector<std::string> arguments{"compare", path_, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = dlview_compare(arguments);
    EXPECT_EQ(outcome.code, kExitSuccess) << outcome.err;
    return Json::parse(outcome.out);
  }

  testing::TemporaryFolder folder_;
  std::string path_ = (folder_.path() / "run.sqlite").string();
};

TEST_F(CompareCommand, SetsTheSlowestAgainstTheTypicalIteration) {
  const Json found = compare({});
  EXPECT_EQ(found["compared"]["against"], found["compared"]["typical"]);
  EXPECT_GT(found["compared"]["difference_ns"], 0);
  int64_t sum = 0;
  for (const Json& row : found["categories"]) {
    if (!row["difference_ns"].is_null()) sum += row["difference_ns"].get<int64_t>();
  }
  EXPECT_EQ(sum, found["compared"]["difference_ns"]);
}

TEST_F(CompareCommand, ListsTheLargestDifferencesFirst) {
  const Json found = compare({"--iteration", "20", "--against", "31"});
  EXPECT_EQ(found["compared"]["iteration"], 20);
  EXPECT_EQ(found["compared"]["against"], 31);
  for (const char* table : {"ops", "kernels"}) {
    int64_t last = INT64_MAX;
    for (const Json& row : found[table]) {
      const int64_t difference = row["difference_ns"];
      EXPECT_EQ(difference, row["ns"].get<int64_t>() - row["against_ns"].get<int64_t>());
      EXPECT_LE(std::abs(difference), last);
      last = std::abs(difference);
    }
    EXPECT_NE(last, INT64_MAX) << table;
  }
}

TEST_F(CompareCommand, SaysInASentenceWhatChanged) {
  const Json two_iterations = compare({});
  EXPECT_THAT(two_iterations["compared"]["what_changed"].get<std::string>(),
              MatchesRegex("Iteration .* longer than iteration .*: .*\\."));
}

// After the numbers, whose columns are as wide as the numbers.
TEST_F(CompareCommand, PrintsNamesLast) {
  const Outcome outcome =
      dlview_compare({"compare", path_, "--iteration", "20", "--against", "31"});
  ASSERT_EQ(outcome.code, kExitSuccess) << outcome.err;
  EXPECT_THAT(outcome.out, ContainsRegex("\nCPU/GPU +Calls in 31 +.*Op type +Op name\n"));
  EXPECT_THAT(outcome.out, ContainsRegex("\n *Launches in 31 .*  Kernel name\n"));
  EXPECT_THAT(outcome.out, ContainsRegex("  no  "));  // runs in both
}

TEST_F(CompareCommand, PrintsTheBaselineFirstInAllTables) {
  const Outcome outcome =
      dlview_compare({"compare", path_, "--iteration", "20", "--against", "31"});
  ASSERT_EQ(outcome.code, kExitSuccess) << outcome.err;
  const std::string times = "Iteration 31 +Iteration 20 +";
  EXPECT_THAT(outcome.out, ContainsRegex("\nMetric +" + times + "Change\n"));
  EXPECT_THAT(outcome.out, ContainsRegex("\nCategory +" + times + "Difference\n"));
  EXPECT_THAT(outcome.out, ContainsRegex("\nCPU/GPU +Calls in 31 +Calls in 20 +" + times));
  EXPECT_THAT(outcome.out, ContainsRegex("\n *Launches in 31 +Launches in 20 +" + times));
  const Outcome csv = dlview_compare(
      {"compare", path_, "--iteration", "20", "--against", "31", "--csv", "categories"});
  EXPECT_THAT(csv.out, StartsWith("category,ns,against_ns,difference_ns\n"));
}

TEST_F(CompareCommand, HasReadableTimesInTextAndNsInJson) {
  const Outcome outcome = dlview_compare({"compare", path_, path_});
  ASSERT_EQ(outcome.code, kExitSuccess) << outcome.err;
  EXPECT_THAT(outcome.out, ContainsRegex("\nMetric +Before +After +Change\n"));
  EXPECT_THAT(outcome.out,
              ContainsRegex("\nIteration, mean +[0-9.]+ (ms|µs) +[0-9.]+ (ms|µs) +0\n"));
  EXPECT_THAT(outcome.out, ContainsRegex("\nIterations +[0-9]+ +[0-9]+ *\n"));
  EXPECT_EQ(outcome.out.find("(ns)"), std::string::npos);
  EXPECT_TRUE(compare({path_})["waterfall"][0]["before_ns"].is_number_integer());
}

TEST_F(CompareCommand, SaysWhatKindOfOutlierAnIterationIs) {
  EXPECT_EQ(aggregate::to_text(aggregate::OutlierClass::other), "unknown cause");
  const Json found = compare({"--iteration", "20", "--against", "31"});
  EXPECT_TRUE(found["compared"]["class"].is_null());
  const Outcome outcome =
      dlview_compare({"compare", path_, "--iteration", "20", "--against", "31"});
  EXPECT_THAT(outcome.out, ContainsRegex("\nMetric +Iteration 31 +Iteration 20 +Change\n"));
  EXPECT_THAT(outcome.out, ContainsRegex("\nOutlier +no +no *\n"));
}

TEST_F(CompareCommand, TakesTheTwoIterationsOfAState) {
  const Json found = compare({"--state", "iteration=20,against=31", "--against", "30"});
  EXPECT_EQ(found["compared"]["iteration"], 20);
  EXPECT_EQ(found["compared"]["against"], 30);
}

TEST_F(CompareCommand, SaysThatFiltersDoNotApplyToTwoIterations) {
  EXPECT_FALSE(compare({})["compared"].contains("caution"));
  const std::vector<std::string> filter{"--only", "device=0"};
  const Json found = compare(filter);
  EXPECT_THAT(found["compared"]["caution"].get<std::string>(), StartsWith("Filters do not apply"));
  const Outcome csv =
      dlview_compare({"compare", path_, "--csv", "categories", filter[0], filter[1]});
  EXPECT_THAT(csv.err, StartsWith("Filters do not apply"));
}

TEST_F(CompareCommand, RefusesIterationsThatAreNotThere) {
  const Outcome outcome = dlview_compare({"compare", path_, "--iteration", "1000"});
  EXPECT_EQ(outcome.code, kExitUnusable);
  EXPECT_THAT(outcome.err, HasSubstr("--iteration: 1000"));
  EXPECT_THAT(outcome.err, HasSubstr("Valid iterations: 0 to "));
}

class CompareFiles : public CompareCommand {
 protected:
  void SetUp() override {
    CompareCommand::SetUp();
    base::Progress progress;
    ASSERT_TRUE(
        generate::generate_dlprof(other_, {.iterations = 37, .kernels = 9000, .seed = 3}, progress)
            .ok());
  }
  std::string text(std::vector<std::string> more) const {
    std::vector<std::string> arguments{"compare", path_, other_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = dlview_compare(arguments);
    EXPECT_EQ(outcome.code, kExitSuccess) << outcome.err;
    return outcome.out;
  }

  std::string other_ = (folder_.path() / "other.sqlite").string();
};

int64_t sum_of(const Json& rows, const std::string& level, const char* value) {
  int64_t sum = 0;
  for (const Json& row : rows) {
    if (!row.contains("level") || row["level"] == level) sum += row[value].get<int64_t>();
  }
  return sum;
}

TEST_F(CompareFiles, TablesAddUpToTheIteration) {
  const Json found = compare({other_});
  EXPECT_EQ(found["compared"]["before"], path_);
  EXPECT_EQ(found["compared"]["after"], other_);
  const Json& rows = found["waterfall"];
  const Json& iteration = rows[0];
  ASSERT_EQ(iteration["level"], "iteration");
  for (const char* value : {"before_ns", "after_ns", "difference_ns"}) {
    EXPECT_EQ(sum_of(rows, "part", value), iteration[value]) << value;
    EXPECT_EQ(sum_of(found["ops"], "", value), iteration[value]) << value;
  }
  EXPECT_EQ(iteration["after_ns"], found["compared"]["after_mean_iteration_ns"]);
  EXPECT_EQ(iteration["difference_ns"], found["compared"]["difference_mean_iteration_ns"]);
  // What changed, then what may be chance; in both the largest first.
  for (const char* table : {"ops", "kernels"}) {
    std::pair<bool, int64_t> last{true, std::numeric_limits<int64_t>::max()};
    for (const Json& row : found[table]) {
      const std::string change = row["change"];
      const bool may_be_chance = change == "inconclusive" || change == "not judged" ||
                                 change == "no difference" || change == "renamed";
      const std::pair place(!may_be_chance, std::abs(row["difference_ns"].get<int64_t>()));
      EXPECT_LE(place, last) << row;
      last = place;
    }
  }
}

TEST_F(CompareFiles, OneFileWithItselfIsTheSameCapture) {
  const Json same = compare({path_});
  EXPECT_THAT(same["compared"]["verdict"].get<std::string>(), StartsWith("The same capture"));
  for (const char* table : {"waterfall", "ops", "kernels"}) {
    EXPECT_FALSE(same[table].empty());
    for (const Json& row : same[table]) EXPECT_EQ(row["difference_ns"], 0) << row;
  }
  for (const Json& row : same["ops"]) {
    EXPECT_NE(row["change"], "slower");
    EXPECT_NE(row["change"], "faster");
  }
}

TEST_F(CompareFiles, SwappedFilesGiveTheNegative) {
  const Json there = compare({other_});
  const Outcome outcome = dlview_compare({"compare", other_, path_, "--json"});
  const Json back = Json::parse(outcome.out);
  EXPECT_EQ(there["waterfall"][0]["difference_ns"].get<int64_t>(),
            -back["waterfall"][0]["difference_ns"].get<int64_t>());
  ASSERT_EQ(there["ops"].size(), back["ops"].size());
  std::multiset<int64_t> differences;
  for (const Json& row : there["ops"]) differences.insert(row["difference_ns"].get<int64_t>());
  for (const Json& row : back["ops"]) {
    EXPECT_EQ(differences.count(-row["difference_ns"].get<int64_t>()) > 0, true) << row;
  }
}

TEST_F(CompareFiles, TextHasVerdictPartsAndLargestChanges) {
  const std::string shown = text({});
  for (const char* part : {"  Verdict", "Iteration, median", "\nIteration  ", "Tensor Core kernels",
                           "--table ops prints all", "Change  "}) {
    EXPECT_THAT(shown, HasSubstr(part));
  }
  EXPECT_EQ(text({"--format", "text"}), shown);
}

TEST_F(CompareFiles, WritesEachFormat) {
  EXPECT_EQ(text({"--format", "json"}), text({"--json"}));
  EXPECT_EQ(text({"--format", "csv", "--table", "kernels"}), text({"--csv", "kernels"}));
  EXPECT_THAT(text({"--format", "csv"}), StartsWith("level,stack_part,changed_name,before_ns,"));
  EXPECT_THAT(text({"--csv", "matching"}), StartsWith("matched_by,op_before,op_after,op_type\n"));
  const std::string markdown = text({"--format", "md"});
  EXPECT_THAT(markdown, StartsWith("**"));
  EXPECT_THAT(markdown, HasSubstr("| Level | Part | Name | Before | After | Difference |"));
  EXPECT_THAT(markdown, HasSubstr("| --- | --- | --- | ---: |"));
  const std::string file = (folder_.path() / "out.md").string();
  EXPECT_EQ(text({"--format", "md", "-o", file}), "");
  EXPECT_EQ(testing::contents_of(file), markdown);
}

// Enough for a comment: the parts, and the largest changes.
TEST_F(CompareFiles, MarkdownHasTheLargestRows) {
  const std::string markdown = text({"--format", "md"});
  const auto lines = std::ranges::count(markdown, '\n');
  EXPECT_LT(lines, 90);
  EXPECT_THAT(markdown, ContainsRegex("[0-9]+ more: `--table ops` prints all"));
  const std::string all = text({"--format", "md", "--table", "ops"});
  EXPECT_GT(std::ranges::count(all, '\n'), lines);
  EXPECT_EQ(markdown.find("| op |"), std::string::npos);
}

TEST_F(CompareFiles, PrintsTheVerdictAlone) {
  const std::string sentence = compare({other_})["compared"]["verdict"];
  EXPECT_THAT(text({"--table", "verdict"}), HasSubstr(sentence));
  const std::string csv = text({"--csv", "verdict"});
  EXPECT_THAT(csv, StartsWith("verdict,before_ns,after_ns,median_change_pct,interval_low_pct,"));
  EXPECT_THAT(csv, HasSubstr(sentence));
  EXPECT_THAT(text({"--format", "md", "--table", "verdict"}), HasSubstr(sentence));
  const Json found = compare({other_, "--table", "verdict"});
  ASSERT_EQ(found["verdict"].size(), 1U);
  EXPECT_EQ(found["verdict"][0]["verdict_text"], sentence);
  // Of runs that are not comparable nothing is judged.
  EXPECT_TRUE(found["compared"]["verdict_id"].is_null());
  EXPECT_EQ(found["verdict"][0]["verdict"], "not comparable");
  const Json same = compare({path_, "--table", "verdict"});
  EXPECT_EQ(same["verdict"][0]["verdict"], "no difference");
  EXPECT_EQ(same["compared"]["verdict_id"], "no difference");
}

TEST_F(CompareFiles, PrintsTheChecksAlone) {
  EXPECT_THAT(text({"--csv", "checks"}), StartsWith("check_level,check,check_text\n"));
  EXPECT_TRUE(compare({other_})["checks"].is_array());
}

// Percentages of next to nothing say nothing.
TEST_F(CompareFiles, PercentagesHaveABase) {
  const Json found = compare({other_});
  const double whole = found["waterfall"][0]["before_ns"].get<double>();
  for (const Json& row : found["ops"]) {
    if (row["q_value"].is_null()) continue;
    if (row["before_ns"] == 0) {
      EXPECT_TRUE(row["median_change_pct"].is_null()) << row;
    } else if (row["before_ns"].get<double>() > 0.01 * whole) {
      EXPECT_FALSE(row["median_change_pct"].is_null()) << row;
    } else if (!row["median_change_pct"].is_null()) {
      EXPECT_LT(row["median_change_pct"].get<double>(), 10'000) << row;
    }
  }
}

// Of one iteration the median is no other number.
TEST_F(CompareCommand, OfOneIterationPrintsItsDurationOnce) {
  const Outcome outcome = dlview_compare({"compare", path_, path_, "--key-op", ""});
  ASSERT_EQ(outcome.code, kExitSuccess) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\nWhole run "));
  EXPECT_THAT(outcome.out, Not(HasSubstr("Iteration, m")));
}

TEST_F(CompareFiles, RefusesWhatItCannotDo) {
  const auto refused = [this](std::vector<std::string> more) {
    std::vector<std::string> arguments{"compare", path_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = dlview_compare(arguments);
    EXPECT_EQ(outcome.code, kExitUnusable) << outcome.out;
    return outcome.err;
  };
  EXPECT_THAT(refused({other_, "--match", "path,nmae"}), HasSubstr("\"nmae\""));
  EXPECT_THAT(refused({other_, "--pair", "CONV2D_1=nothing"}), HasSubstr("\"nothing\""));
  EXPECT_THAT(refused({other_, "-o", other_}), HasSubstr("other.sqlite"));
  EXPECT_THAT(refused({other_, "--samples", "32"}), HasSubstr("--samples"));
  EXPECT_THAT(refused({other_, "--iterations", "all", "--iterations", "1:9"}),
              HasSubstr("--iterations"));
  for (const std::vector<std::string>& of_two :
       std::vector<std::vector<std::string>>{{"--match", "path"},
                                             {"--pair", "a=b"},
                                             {"--samples", "1,2"},
                                             {"--format", "md"},
                                             {"--table", "waterfall"},
                                             {"--iterations", "all"},
                                             {"-o", "x.txt"}}) {
    EXPECT_THAT(refused(of_two), HasSubstr("Needs a second file"));
  }
}

TEST_F(CompareFiles, PairsOpsByHand) {
  const Json found = compare({other_, "--pair", "CONV2D_1=CONV2D_2"});
  int by_hand = 0;
  for (const Json& row : found["matching"]) by_hand += row["matched_by"] == "hand" ? 1 : 0;
  EXPECT_EQ(by_hand, 1);
  const Json by_path = compare({other_, "--match", "path"});
  for (const Json& row : by_path["matching"]) EXPECT_NE(row["matched_by"], "id");
}

TEST_F(CompareFiles, RefusesSamplesShortly) {
  for (const std::string number : {"0", "1e-300", "1e300", "nan", "inf"}) {
    const Outcome refused = dlview_compare({"compare", path_, other_, "--samples", number + ",1"});
    EXPECT_EQ(refused.code, kExitUnusable);
    EXPECT_THAT(refused.err, HasSubstr("\"" + number + "\" is not a number from 0.001 to 1e12"));
    EXPECT_LT(refused.err.find('\n'), 90U);
  }
}

TEST_F(CompareFiles, GivesTimesPerSample) {
  const Json found = compare({other_, "--samples", "32,64"})["compared"];
  EXPECT_EQ(found["before_median_sample_ns"],
            std::llround(found["before_median_iteration_ns"].get<double>() / 32));
  EXPECT_EQ(found["after_median_sample_ns"],
            std::llround(found["after_median_iteration_ns"].get<double>() / 64));
}

// A number of the text: "−1.28 ms" is -128 of the unit "ms" with two decimals, "0" has neither.
// "< 0.01 ms" and "> −0.01 ms" are 0 of them.
struct ShownNumber {
  int64_t digits = 0;
  std::size_t decimals = 0;
  std::string unit;
};

ShownNumber shown_number(std::string text) {
  ShownNumber number;
  const std::string minus = "−";
  const bool is_below = text.starts_with("< ") || text.starts_with("> ");
  if (is_below) text.erase(0, 2);
  const bool is_negative = text.starts_with(minus);
  if (is_negative) text.erase(0, minus.size());
  for (const char c : text) {
    if (c >= '0' && c <= '9') number.digits = 10 * number.digits + (c - '0');
  }
  if (is_negative) number.digits = -number.digits;
  if (is_below) number.digits = 0;
  number.unit = text.substr(text.find_first_not_of("+0123456789.,"));
  const std::size_t point = text.find('.');
  if (point != std::string::npos) {
    number.decimals = text.find_first_not_of("0123456789", point + 1) - point - 1;
  }
  return number;
}

// The cells are numbers before and after, and their difference.
void expect_difference(const std::string& before, const std::string& after,
                       const std::string& difference) {
  const ShownNumber from = shown_number(before + " "), to = shown_number(after + " "),
                    change = shown_number(difference + " ");
  if (change.unit != to.unit && change.digits != 0) return;  // too small for the unit of the others
  EXPECT_EQ(to.digits - from.digits, change.digits)
      << before << ", " << after << ", " << difference;
  for (const ShownNumber& each : {from, change}) {
    if (each.digits == 0 || to.digits == 0) continue;  // "0" has no unit
    EXPECT_EQ(each.unit, to.unit) << before << ", " << after << ", " << difference;
    EXPECT_EQ(each.decimals, to.decimals) << before << ", " << after << ", " << difference;
  }
}

// Cells are at least two blanks apart.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  for (std::size_t at = line.find_first_not_of(' '); at != std::string::npos;) {
    const std::size_t end = std::min(line.find("  ", at), line.size());
    cells.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(' ', end);
  }
  return cells;
}

// The rows between the header of the waterfall and the end of it.
TEST_F(CompareFiles, ShownPartsAddUpInText) {
  std::istringstream lines(text({}));
  std::string line;
  while (std::getline(lines, line) && line != "Waterfall") continue;
  std::getline(lines, line);
  std::getline(lines, line);
  std::array<int64_t, 3> sums{};
  int rows = 0;
  while (std::getline(lines, line) && !line.empty()) {
    const std::vector<std::string> cells = cells_of(line);
    ASSERT_EQ(cells.size(), 4U) << line;
    expect_difference(cells[1], cells[2], cells[3]);
    for (std::size_t i = 0; i < 3; ++i) {
      const int64_t digits = shown_number(cells[i + 1] + " ").digits;
      if (cells[0] == "Iteration") {
        EXPECT_EQ(sums[i], digits);
      } else {
        sums[i] += digits;
      }
    }
    ++rows;
  }
  EXPECT_GT(rows, 5);
}

TEST_F(CompareFiles, DifferencesInTextAreThoseOfShownNumbers) {
  std::istringstream lines(text({}));
  std::string line, table;
  int rows = 0;
  while (std::getline(lines, line)) {
    if (line.starts_with("Ops and idle") || line.starts_with("Kernels and")) table = line;
    const std::vector<std::string> cells = cells_of(line);
    if (table.empty() || cells.size() < 6 || line.find("ms") == std::string::npos) continue;
    expect_difference(cells[1], cells[2], cells[3]);
    ++rows;
  }
  EXPECT_GT(rows, 15);
}

TEST_F(CompareCommand, SaysThatRunsAreNotSplit) {
  const Json found = compare({path_, "--key-op", ""})["compared"];
  EXPECT_EQ(found["comparability"], "not comparable");
  EXPECT_TRUE(found["verdict_id"].is_null());
}

TEST_F(CompareCommand, TakesTheSteadyStateByDefault) {
  const Json steady = compare({path_})["compared"];
  EXPECT_EQ(compare({path_, "--iterations", "steady"})["compared"], steady);
  const Json all = compare({path_, "--iterations", "all"})["compared"];
  EXPECT_LT(steady["before_iterations"], all["before_iterations"]);
  EXPECT_EQ(all["before_range"].get<std::string>().substr(0, 2), "0:");
}

TEST_F(CompareCommand, TakesARangeForEachFile) {
  const auto compared = [this](const std::vector<std::string>& ranges) {
    std::vector<std::string> options{path_};
    for (const std::string& range : ranges) options.insert(options.end(), {"--iterations", range});
    const Json found = compare(options)["compared"];
    return std::pair(found["before_iterations"].get<int64_t>(),
                     found["after_iterations"].get<int64_t>());
  };
  EXPECT_EQ(compared({"1:6"}), std::pair(int64_t{6}, int64_t{6}));
  EXPECT_EQ(compared({"1:6", "2:4"}), std::pair(int64_t{6}, int64_t{3}));
  EXPECT_EQ(dlview_compare({"compare", path_, "--iterations", "1:6", "--iterations", "2:4"}).code,
            kExitUnusable);
}

TEST_F(CompareCommand, PrintsATableAloneAsCsv) {
  const Outcome kernels = dlview_compare({"compare", path_, "--csv", "kernels"});
  EXPECT_EQ(kernels.code, kExitSuccess) << kernels.err;
  EXPECT_THAT(kernels.out, StartsWith("kernel_name,launches,against_launches,ns,"));
  const Outcome categories = dlview_compare({"compare", path_, path_, "--csv", "categories"});
  EXPECT_THAT(categories.out, StartsWith("level,stack_part,"));
  EXPECT_EQ(dlview_compare({"compare", path_, "--csv", "groups"}).code, kExitUnusable);
}

TEST_F(CompareCommand, ComparesEitherIterationsOrFiles) {
  EXPECT_EQ(dlview_compare({"compare", path_, path_, "--iteration", "3"}).code, kExitUnusable);
  const Outcome missing =
      dlview_compare({"compare", path_, (folder_.path() / "none.sqlite").string()});
  EXPECT_EQ(missing.code, kExitUnusable);
  EXPECT_THAT(missing.err, HasSubstr("none.sqlite"));
}

class CompareExports : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const generate::programs::Training& training) const {
    const std::string path = (folder_.path() / (name + ".sqlite")).string();
    base::Progress progress;
    EXPECT_TRUE(generate::write_capture(generate::programs::play(training).capture,
                                        generate::NsysSchema::v2026, path, progress)
                    .ok());
    return path;
  }

  testing::TemporaryFolder folder_;
};

using enum generate::programs::StepNames;

// The second run opens split at its steps, which the first one does not name.
TEST_F(CompareExports, SplitAtAMarkerThatBothHave) {
  const std::string phases = write("phases", {.names = none, .has_phases = true}),
                    steps = write("steps", {.steps = 20, .has_phases = true});
  const Outcome outcome = dlview_compare({"compare", phases, steps, "--json"});
  ASSERT_EQ(outcome.code, kExitSuccess) << outcome.err;
  const Json found = Json::parse(outcome.out)["compared"];
  EXPECT_EQ(found["before_key_op"], "forward");
  EXPECT_EQ(found["after_key_op"], "forward");
  EXPECT_GT(found["before_iterations"], 20);
  EXPECT_LE(found["after_iterations"], 20);
}

TEST_F(CompareExports, PairTheStepsOfEach) {
  const std::string steps = write("steps", {}), iters = write("iters", {.names = iter_n});
  const Outcome outcome = dlview_compare({"compare", steps, iters, "--json"});
  ASSERT_EQ(outcome.code, kExitSuccess) << outcome.err;
  const Json found = Json::parse(outcome.out)["compared"];
  EXPECT_EQ(found["before_key_op"], "step");
  EXPECT_EQ(found["after_key_op"], "iter");
  EXPECT_NE(found["comparability"], "not comparable");
}

TEST_F(CompareExports, TakeAMarkerForEach) {
  const std::string steps = write("steps", {.has_phases = true}),
                    iters = write("iters", {.names = iter_n, .has_phases = true});
  const Outcome outcome = dlview_compare(
      {"compare", steps, iters, "--key-op", "forward", "--key-op", "iter", "--json"});
  ASSERT_EQ(outcome.code, kExitSuccess) << outcome.err;
  const Json found = Json::parse(outcome.out)["compared"];
  EXPECT_EQ(found["before_key_op"], "forward");
  EXPECT_EQ(found["after_key_op"], "iter");
  const Outcome one = dlview_compare({"compare", steps, iters, "--key-op", "iter"});
  EXPECT_EQ(one.code, kExitUnusable);
  EXPECT_THAT(one.err, HasSubstr(". Name a marker for each file: --key-op step --key-op iter\n"));
  const Outcome other = dlview_compare({"compare", steps, iters, "--key-op", "step"});
  EXPECT_THAT(other.err, HasSubstr(". Name a marker for each file: --key-op step --key-op iter\n"));
  // What neither file has is no advice.
  const Outcome neither = dlview_compare({"compare", steps, iters, "--key-op", "nonsense"});
  EXPECT_EQ(neither.code, kExitUnusable);
  EXPECT_THAT(neither.err, HasSubstr("is called \"nonsense\""));
  EXPECT_THAT(neither.err, Not(HasSubstr("--key-op")));
}

// The advice is a command that works.
TEST_F(CompareExports, AreRefusedWithoutACommonMarker) {
  const std::string steps = write("steps", {}), nameless = write("nameless", {.names = none});
  const Outcome refused = dlview_compare({"compare", steps, nameless});
  EXPECT_EQ(refused.code, kExitUnusable);
  EXPECT_THAT(refused.err, HasSubstr("Before: step."));
  EXPECT_THAT(refused.err, HasSubstr("--key-op step --key-op "));
  const Outcome totals = dlview_compare({"compare", steps, nameless, "--key-op", ""});
  EXPECT_EQ(totals.code, kExitSuccess);
  EXPECT_THAT(totals.out, HasSubstr("Choose an iteration marker for each."));
  EXPECT_THAT(totals.out, ContainsRegex("Best markers before +step \\([0-9.]+%\\)"));
  EXPECT_THAT(totals.out, ContainsRegex("Best markers after +[^ ]"));
}

TEST(DefinitionsCommand, PrintsThoseWithAllTheWords) {
  const Outcome some = dlview_compare({"definitions", "tensor", "eligible"});
  EXPECT_EQ(some.code, kExitSuccess);
  EXPECT_THAT(some.out, HasSubstr("**Tensor Core efficiency**"));
  EXPECT_THAT(some.out, ::testing::Not(HasSubstr("**Wall clock time**")));
  EXPECT_THAT(dlview_compare({"definitions"}).out, StartsWith("# Definitions\n"));
  EXPECT_EQ(dlview_compare({"definitions", "zebra"}).code, kExitUnusable);
}

}  // namespace
}  // namespace dlview::app
