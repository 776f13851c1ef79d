// Figures of two sides as a terminal shows them.
#include "app/commands/compared_facts.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "report/columns.h"

namespace dlview::app {
namespace {

using report::Cell;

struct Times {
  int64_t before_ns = 0, after_ns = 0;
};

// The first three columns of a table of changes, each row as one text.
std::vector<std::string> shown(const std::vector<Times>& rows) {
  report::Table table{"ops", "Ops", report::Layout::rows, {}, rows.size()};
  table.columns = {
      report::column("before_ns", [&rows](std::size_t row) { return Cell(rows[row].before_ns); }),
      report::column("after_ns", [&rows](std::size_t row) { return Cell(rows[row].after_ns); }),
      report::column("difference_ns", [&rows](std::size_t row) {
        return Cell(rows[row].after_ns - rows[row].before_ns);
      })};
  const report::Table printed = for_terminal(table);
  std::vector<std::string> lines;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    lines.push_back(report::to_text(printed.cell(row, 0)) + "|" +
                    report::to_text(printed.cell(row, 1)) + "|" +
                    report::to_text(printed.cell(row, 2)));
  }
  return lines;
}

TEST(ComparedTimes, ShareAUnitWhereItIsReadable) {
  EXPECT_EQ(shown({{41'270'000'000, 41'130'000'000}, {900'000'000, 1'300'000'000}}),
            (std::vector<std::string>{"41.27 s|41.13 s|−0.14 s", "0.90 s|1.30 s|+0.40 s"}));
}

// One op of seconds, and others of microseconds.
TEST(ComparedTimes, HaveUnitsOfTheirOwnElse) {
  const std::vector<std::string> lines = shown(
      {{41'270'000'000, 43'130'000'000}, {12'000, 17'000}, {310'000, 290'000}, {4'000, 9'000}});
  EXPECT_EQ(lines[0], "41.3 s|43.1 s|+1.8 s");
  for (std::size_t row = 1; row < lines.size(); ++row) {
    EXPECT_EQ(lines[row].find('<'), std::string::npos) << lines[row];
    EXPECT_NE(lines[row].find("µs"), std::string::npos) << lines[row];
  }
}

}  // namespace
}  // namespace dlview::app
