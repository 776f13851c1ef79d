// The formats beside CSV, on a report whose texts need care.

#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/profile.h"
#include "report/nsys/cells.h"
#include "report/nsys/write_reports.h"

namespace dlview::report::nsys {
namespace {

using aggregate::Unit;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Table made() {
  Table table{"cuda_api_sum", "CUDA API Summary", Layout::rows, {}, 2};
  table.columns = {
      real_column("time_share", "Time", Unit::percent,
                  [](std::size_t row) { return row == 0 ? 73.66 : 26.34; }),
      integer_column(
          "total_time", "Total Time", Unit::ns,
          [](std::size_t row) { return row == 0 ? int64_t{202'161'395} : int64_t{-950}; }),
      real_column("avg", "Avg", Unit::ns,
                  [](std::size_t row) { return row == 0 ? Cell{4'599.5} : Cell{}; }),
      integer_column("bytes", "Bytes", Unit::bytes,
                     [](std::size_t) { return int64_t{3'221'225'472}; }),
      integer_column("pid", "PID", Unit::none, [](std::size_t) { return int64_t{1'234'567}; }),
      text_column("name", "Name", [](std::size_t row) {
        return std::string_view(row == 0 ? "a<b>\t\"c\"" : "\x1b[31mré");
      })};
  return table;
}

std::string written(const Table& table, std::string_view format) {
  std::ostringstream out;
  write_report(table, *parse_format(format), {}, {0, 0}, out);
  return std::move(out).str();
}

TEST(NsysFormats, TabSeparatedTextKeepsOneLineForEachRow) {
  EXPECT_EQ(written(made(), "tsv"),
            "Time (%)\tTotal Time (ns)\tAvg (ns)\tBytes (MB)\tPID\tName\n"
            "73.7\t202161395\t4599.5\t3221.225\t1234567\ta<b> \"c\"\n"
            "26.3\t-950\t\t3221.225\t1234567\t\x1b[31mré\n\n");
}

TEST(NsysFormats, ColumnsCenterHeadersAndGroupDigits) {
  EXPECT_EQ(written(made(), "column"),
            " ** CUDA API Summary (cuda_api_sum):\n\n"
            " Time (%)  Total Time (ns)  Avg (ns)  Bytes (MB)    PID        Name   \n"
            " --------  ---------------  --------  ----------  -------  -----------\n"
            "     73.7      202,161,395   4,599.5   3,221.225  1234567  a<b>\\x09\"c\"\n"
            "     26.3             -950             3,221.225  1234567  \\x1b[31mré \n\n");
}

TEST(NsysFormats, HtmlEscapesNamesInPagesAndTables) {
  const std::string page = written(made(), "hdoc"), table = written(made(), "htable");
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>\n"));
  EXPECT_THAT(page, HasSubstr("<h1>CUDA API Summary</h1>"));
  EXPECT_THAT(page, HasSubstr(table));
  EXPECT_THAT(table, StartsWith("<table>\n<thead><tr><th class=\"n\">Time (%)</th>"));
  EXPECT_THAT(table, HasSubstr("<td>a&lt;b&gt;"));
  EXPECT_THAT(table, ::testing::EndsWith("</table>\n"));
  EXPECT_EQ(table.find('\x1b'), std::string::npos);
}

TEST(NsysFormats, TimesOfAnotherUnitKeepEveryNanosecond) {
  const auto in = [](std::string_view unit) {
    return written(in_time_unit(made(), *parse_time_unit(unit)), "csv");
  };
  EXPECT_EQ(in("ms").substr(0, in("ms").find(",\"a<b>")),
            "Time (%),Total Time (ms),Avg (ms),Bytes (MB),PID,Name\n"
            "73.7,202.161395,0.004600,3221.225,1234567");
  EXPECT_THAT(in("usec"), HasSubstr("26.3,-0.950,,3221.225,"));
  EXPECT_THAT(in("seconds"), HasSubstr(",0.202161395,0.000004600,"));
  EXPECT_EQ(in("ns"), written(made(), "csv"));
  EXPECT_FALSE(parse_time_unit("h").ok());
}

TEST(NsysFormats, AreNamed) {
  for (const std::string_view name : {"csv", "tsv", "column", "table", "json", "hdoc", "htable"}) {
    const auto format = parse_format(name);
    ASSERT_TRUE(format.ok()) << name;
    EXPECT_EQ(name_of(*format), name);
  }
  EXPECT_FALSE(parse_format("xlsx").ok());
}

}  // namespace
}  // namespace dlview::report::nsys
