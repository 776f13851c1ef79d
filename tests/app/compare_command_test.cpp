// dlview compare and dlview definitions as scripts see them.

#include <algorithm>
#include <cmath>
#include <iterator>
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

namespace dlview::app {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
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
  const Json two_files = compare({path_});
  EXPECT_EQ(two_files["compared"]["what_changed"], "Iterations take as long as before.");
  EXPECT_EQ(two_files["compared"]["difference_gpu_idle_ns"], 0);
  EXPECT_GT(two_files["compared"]["before_median_gpu_idle_ns"], 0);
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
  EXPECT_TRUE(compare({path_})["categories"][0]["before_ns"].is_number_integer());
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

TEST_F(CompareCommand, SetsTheMeanIterationsOfTwoFilesSideBySide) {
  const std::string other = (folder_.path() / "other.sqlite").string();
  base::Progress progress;
  ASSERT_TRUE(
      generate::generate_dlprof(other, {.iterations = 12, .kernels = 3000, .seed = 7}, progress)
          .ok());
  const Json found = compare({other});
  EXPECT_EQ(found["compared"]["before"], path_);
  EXPECT_EQ(found["compared"]["after"], other);
  EXPECT_EQ(found["compared"]["after_iterations"], 13);
  const double difference = found["compared"]["difference_average_iteration_ns"];
  EXPECT_DOUBLE_EQ(difference, found["compared"]["after_average_iteration_ns"].get<double>() -
                                   found["compared"]["before_average_iteration_ns"].get<double>());
  for (const char* table : {"ops", "kernels"}) {
    double last = std::numeric_limits<double>::max();
    for (const Json& row : found[table]) {
      const double ns = row["difference_ns"];
      EXPECT_LE(std::abs(ns), last) << row;
      last = std::abs(ns);
    }
    EXPECT_LT(last, 1e18) << table;
  }
  EXPECT_EQ(found["categories"].size(), 7U);
  const Json same = compare({path_});
  EXPECT_EQ(same["compared"]["difference_average_iteration_ns"], 0);
  EXPECT_TRUE(same["ops"].empty());
}

// In tenths, the last digit that the text of a count shows.
int64_t tenths(const std::string& shown) {
  return std::llround(10 * std::stod(shown));
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

// The first six numbers of a row: calls before, after and their difference, then times.
void expect_sums_to_add_up(const std::string& line, std::size_t first) {
  const std::vector<std::string> cells = cells_of(line);
  ASSERT_GT(cells.size(), first + 5) << line;
  for (const std::size_t at : {first, first + 3}) {
    if (cells[at] == "none") continue;  // GPU idle has no calls
    expect_difference(cells[at], cells[at + 1], cells[at + 2]);
  }
}

TEST_F(CompareCommand, DifferencesInTextAreThoseOfTheShownNumbers) {
  const std::string other = (folder_.path() / "other.sqlite").string();
  base::Progress progress;
  ASSERT_TRUE(
      generate::generate_dlprof(other, {.iterations = 37, .kernels = 9000, .seed = 3}, progress)
          .ok());
  const Outcome outcome = dlview_compare({"compare", path_, other});
  ASSERT_EQ(outcome.code, kExitSuccess) << outcome.err;
  std::istringstream lines(outcome.out);
  std::map<std::string, std::vector<std::string>> metrics;
  std::map<std::string, std::set<std::string>> units;  // of times, by table
  std::string line, table;
  int64_t rows = 0;
  while (std::getline(lines, line)) {
    if (const auto cells = cells_of(line); table.empty() && cells.size() == 4) {
      metrics[cells[0]] = {cells[1], cells[2], cells[3]};
    }
    if (line.starts_with("Ops,") || line.starts_with("Kernels,"))
      table = line.substr(0, line[0] == 'O' ? 3 : 7);
    const bool is_row =
        line.find_first_of("0123456789") != std::string::npos && !line.starts_with("  ");
    if (table.empty() || !is_row || line.starts_with(table)) continue;
    ++rows;
    const std::size_t first = table == "Ops" ? 3 : 1;
    ASSERT_NO_FATAL_FAILURE(expect_sums_to_add_up(line, first));
    if (cells_of(line)[first] == "none") continue;  // GPU idle has a cell less
    for (std::size_t cell = first + 3; cell < first + 6; ++cell) {
      const ShownNumber time = shown_number(cells_of(line)[cell] + " ");
      if (time.digits != 0) units[table].insert(time.unit);
    }
  }
  EXPECT_GT(rows, 50);
  EXPECT_EQ(units["Ops"].size(), 1U);
  EXPECT_EQ(units["Kernels"].size(), 1U);
  for (const std::string name : {"GPU utilization", "Kernel launches", "Iteration, mean",
                                 "Iteration, median", "GPU idle, mean"}) {
    std::string& change = metrics.at(name)[2];
    const std::size_t points = change.find(" points");
    EXPECT_EQ(points != std::string::npos, name == "GPU utilization") << name;
    if (points != std::string::npos) change.replace(points, std::string::npos, "%");
    expect_difference(metrics.at(name)[0], metrics.at(name)[1], change);
  }
  const Json full = compare({other});
  EXPECT_DOUBLE_EQ(full["compared"]["difference_gpu_utilization"].get<double>(),
                   full["compared"]["after_gpu_utilization"].get<double>() -
                       full["compared"]["before_gpu_utilization"].get<double>());
  int64_t cases = 0;  // whose exact difference rounds to another one
  const auto look_at = [&cases](const Json& row, const std::string& of) {
    if (row["before_" + of].is_null()) return;  // GPU idle has no calls
    const double before = row["before_" + of], after = row["after_" + of],
                 difference = row["difference_" + of];
    EXPECT_DOUBLE_EQ(difference, after - before);
    const auto shown = [](double number) { return tenths(fmt::format("{:.1f}", number)); };
    if (shown(after) - shown(before) != shown(difference)) ++cases;
  };
  for (const Json& row : full["ops"]) look_at(row, "calls");
  for (const Json& row : full["kernels"]) look_at(row, "launches");
  EXPECT_GT(cases, 0);
}

TEST_F(CompareCommand, WarnsOfRunsThatAreNotSplit) {
  EXPECT_EQ(compare({path_, "--key-op", ""})["compared"]["caution"],
            "Neither run is split into iterations: their times cover the whole capture. Choose an "
            "iteration marker that both files have with --key-op");
}

TEST_F(CompareCommand, WarnsOfIterationsThatAreUnlikeTheOthers) {
  const std::string caution = compare({path_})["compared"]["caution"];
  EXPECT_THAT(caution,
              ContainsRegex("The steady state is [0-9]+:[0-9]+ of the first run and "
                            "[0-9]+:[0-9]+ of the second run: choose it with --iterations"));
  const std::string alike = "The steady state is ";
  const std::size_t begin = caution.find(alike) + alike.size();
  const std::string steady = caution.substr(begin, caution.find(' ', begin) - begin);
  EXPECT_FALSE(compare({path_, "--iterations", steady})["compared"].contains("caution"));
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
  EXPECT_THAT(categories.out, StartsWith("category,before_ns,after_ns,difference_ns\n"));
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
  EXPECT_EQ(found["before_iterations"], 30);
  EXPECT_EQ(found["after_iterations"], 20);
}

TEST_F(CompareExports, AreRefusedWithoutACommonMarker) {
  const std::string steps = write("steps", {}), iters = write("iters", {.names = iter_n});
  const Outcome refused = dlview_compare({"compare", steps, iters});
  EXPECT_EQ(refused.code, kExitUnusable);
  EXPECT_THAT(refused.err, HasSubstr("Before: step. After: iter"));
  EXPECT_EQ(dlview_compare({"compare", steps, iters, "--key-op", ""}).code, kExitSuccess);
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
