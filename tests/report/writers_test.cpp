#include <iterator>
#include <limits>
#include <ostream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/writers/csv.h"
#include "report/writers/file.h"
#include "report/writers/json.h"
#include "report/writers/text.h"
#include "support/file_contents.h"
#include "support/test_data.h"

namespace dlview::report {
namespace {

using aggregate::Unit;

// One column of each kind, with a row of ordinary and a row of awkward cells.
Table typed_table() {
  const auto either = [](Cell first, Cell second) {
    return [first, second](std::size_t row) { return row == 0 ? first : second; };
  };
  Table table{"mixed", "Mixed Report", Layout::rows, {}, 2};
  table.columns = {
      text_column("name", "Name", either(std::string_view("gemm"), std::string("a \"b\", c\nd"))),
      word_column("direction", "Direction", either(std::string_view("fprop"), Cell())),
      integer_column("time", "Total Time", Unit::ns, either(int64_t{1234567890123}, int64_t{-5})),
      real_column("share", "Share", Unit::percent, either(33.25, 0.0)),
      flag_column("uses_tc", "Uses TC", either(true, false)),
  };
  return table;
}

Table sectioned_table() {
  Table table{"summary", "Summary Report", Layout::sections, {}, 4};
  const auto of_row = [](std::vector<Cell> cells) {
    return [cells](std::size_t row) { return cells[row]; };
  };
  const Cell none;
  const auto text = [](const char* value) { return Cell(std::string_view(value)); };
  table.columns = {
      word_column("section", "Section",
                  of_row({text("One"), text("One"), text("Two"), text("Two")})),
      word_column("name", "Name",
                  of_row({text("Version"), text("Time"), text("All"), text("Rest")})),
      word_column("value", "Value", of_row({text("v1.8"), Cell(2.5), none, none})),
      integer_column("gpu_time", "GPU Time", Unit::ns,
                     of_row({none, none, Cell(int64_t{10}), Cell(int64_t{3})})),
      integer_column("ops", "# Ops", Unit::count,
                     of_row({none, none, Cell(int64_t{2}), Cell(int64_t{1})})),
      integer_column("kernels", "# Kernels", Unit::count, of_row({none, none, none, none})),
  };
  return table;
}

std::string csv(const Table& table) {
  std::ostringstream out;
  write_csv(table, out);
  return out.str();
}

TEST(Csv, QuotesTextsAlwaysAndWordsOnlyWhenTheyMustBe) {
  EXPECT_EQ(csv(typed_table()),
            "Mixed Report\n"
            "Name,Direction,Total Time (ns),Share (%),Uses TC\n"
            "\"gemm\",fprop,1234567890123,33.2,yes\n"
            "\"a \"\"b\"\", c\nd\",,-5,0.0,no\n");
  Table table = typed_table();
  table.columns[1].cell = [](std::size_t) { return std::string_view("a,b"); };
  EXPECT_NE(csv(table).find("\"gemm\",\"a,b\",123"), std::string::npos);
}

TEST(Csv, PrintsSectionsWithAHeaderOnlyWhereThereAreSeveralValues) {
  EXPECT_EQ(csv(sectioned_table()),
            "One\nVersion,v1.8\nTime,2.5\n\nTwo\n,GPU Time (ns),# Ops\nAll,10,2\nRest,3,1\n");
}

TEST(Csv, OfATableWithoutRowsIsTitleAndHeader) {
  Table table = typed_table();
  table.row_count = 0;
  EXPECT_EQ(csv(table), "Mixed Report\nName,Direction,Total Time (ns),Share (%),Uses TC\n");
}

nlohmann::json json(const Table& table) {
  std::ostringstream out;
  write_json(table, "my \"run\"", {3, 7}, out);
  return nlohmann::json::parse(out.str());
}

TEST(Json, HoldsFullNumbersBooleansAndNulls) {
  const nlohmann::json expected = {
      {"report", "mixed"},
      {"profile_name", "my \"run\""},
      {"iterations", {3, 7}},
      {"columns",
       {{{"name", "Name"}, {"unit", ""}},
        {{"name", "Direction"}, {"unit", ""}},
        {{"name", "Total Time"}, {"unit", "ns"}},
        {{"name", "Share"}, {"unit", "%"}},
        {{"name", "Uses TC"}, {"unit", ""}}}},
      {"rows",
       {{"gemm", "fprop", 1234567890123, 33.25, true}, {"a \"b\", c\nd", nullptr, -5, 0.0, false}}},
  };
  EXPECT_EQ(json(typed_table()), expected);
}

TEST(Json, TellsTheRulesBehindItsFlags) {
  EXPECT_FALSE(json(typed_table()).contains("tensor_core_rules"));
  Table table = typed_table();
  table.tensor_core_rules = 2;
  EXPECT_EQ(json(table)["tensor_core_rules"], 2);
}

TEST(Json, KeepsSectionsAsTheFirstColumn) {
  const nlohmann::json rows = json(sectioned_table())["rows"];
  EXPECT_EQ(rows[1], (nlohmann::json{"One", "Time", 2.5, nullptr, nullptr, nullptr}));
  EXPECT_EQ(rows[3], (nlohmann::json{"Two", "Rest", nullptr, 3, 1, nullptr}));
}

TEST(Json, ReplacesBytesThatAreNotUtf8AndNumbersThatAreNone) {
  Table table = typed_table();
  table.columns[0].cell = [](std::size_t) { return std::string("\xff!"); };
  table.columns[3].cell = [](std::size_t) { return std::numeric_limits<double>::quiet_NaN(); };
  const nlohmann::json row = json(table)["rows"][0];
  EXPECT_EQ(row[0], "\uFFFD!");
  EXPECT_EQ(row[3], nullptr);
}

TEST(Json, OfATableWithoutRowsHasAnEmptyList) {
  Table table = typed_table();
  table.row_count = 0;
  EXPECT_EQ(json(table)["rows"], nlohmann::json::array());
}

TEST(Text, AlignsNumbersRightAndCountsCodePoints) {
  Table table{"t", "T", Layout::rows, {}, 2};
  table.columns = {
      text_column("name", "Name",
                  [](std::size_t row) { return std::string(row == 0 ? "µs" : "first\nsecond"); }),
      integer_column("n", "N", Unit::count,
                     [](std::size_t row) { return static_cast<int64_t>(row * 1000); }),
      text_column("note", "Note", [](std::size_t) { return std::string(); }),
  };
  std::ostringstream out;
  write_text(table, Numbers::in_full, out);
  EXPECT_EQ(out.str(),
            "Name      N  Note\n"
            "-----  ----  ----\n"
            "µs        0\n"
            "first  1000\n");
}

TEST(Text, GivesReadableNumbersTheirUnit) {
  Table table{"t", "T", Layout::rows, {}, 2};
  const auto numbers = [](int64_t first, int64_t second) {
    return [first, second](std::size_t row) { return row == 0 ? first : second; };
  };
  table.columns = {integer_column("ns", "Time", Unit::ns, numbers(1'284'305, 950)),
                   integer_column("difference_ns", "Difference", Unit::ns, numbers(-3'100, 142)),
                   integer_column("id", "Id", Unit::none, numbers(74'107, 0)),
                   integer_column("launches", "Launches", Unit::count, numbers(74'107, 0))};
  std::ostringstream out;
  write_text(table, Numbers::readable, out);
  EXPECT_EQ(out.str(),
            "   Time  Difference     Id  Launches\n"
            "-------  ----------  -----  --------\n"
            "1.28 ms    −3.10 µs  74107    74,107\n"
            " 950 ns     +142 ns      0         0\n");
}

TEST(Text, FormatsReadableNumbersByUnit) {
  EXPECT_EQ(readable_text(int64_t{2} << 30, Unit::bytes, "size"), "2.00 GiB");
  EXPECT_EQ(readable_text(int64_t{2'000'000}, Unit::bytes_per_second, "rate"), "2.00 MB/s");
  EXPECT_EQ(readable_text(80.57, Unit::percent, "share"), "80.6%");
  EXPECT_EQ(readable_text(0.01, Unit::percent, "share"), "< 0.1%");
  EXPECT_EQ(readable_text(1'284'305.4, Unit::ns, "avg"), "1.28 ms");
  EXPECT_EQ(readable_text(-2.5, Unit::percent, "difference_share"), "−2.5%");
  EXPECT_EQ(readable_text(12.0, Unit::count, "difference_calls"), "+12.0");
  EXPECT_EQ(readable_text(int64_t{0}, Unit::ns, "difference_ns"), "0");
  EXPECT_EQ(readable_text(std::numeric_limits<int64_t>::min(), Unit::none, "n"),
            "−9223372036854775807");
  EXPECT_EQ(readable_text(std::string_view("gemm"), Unit::none, "name"), "gemm");
  EXPECT_EQ(readable_text(true, Unit::none, "uses_tc"), "yes");
}

TEST(Text, SaysWhatIsNotRecordedAndShowsControlCharacters) {
  Table table{"t", "T", Layout::rows, {}, 2};
  table.columns = {text_column("name", "Name", [](std::size_t row) {
    return row == 0 ? Cell() : Cell(std::string("\x1b]0;owned\a"));
  })};
  std::ostringstream out;
  write_text(table, Numbers::in_full, out);
  EXPECT_EQ(out.str(),
            "Name\n"
            "----------------\n"
            "not recorded\n"
            "\\x1b]0;owned\\x07\n");
}

TEST(Printable, EscapesControlCharactersAndInvalidUtf8) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("a b \u00a0 \u00e9 \u20ac \U0001f600 \\x"),
            "a b \u00a0 \u00e9 \u20ac \U0001f600 \\x");
  EXPECT_EQ(printable(std::string_view("\0\t\n\r\x1b\x7f", 6)), "\\x00\\x09\\x0a\\x0d\\x1b\\x7f");
  EXPECT_EQ(printable("\u0085\u009b"), "\\xc2\\x85\\xc2\\x9b");  // C1
  EXPECT_EQ(printable("\x9b!\xff"), "\\x9b!\\xff");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");                    // cut short
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");                    // overlong Escape
  EXPECT_EQ(printable("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");           // longer still
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half a surrogate pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond Unicode
}

TEST(WriteFile, ReplacesAnOlderFileOnlyWhenTheNewOneIsComplete) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "report.csv";
  const auto content = [&path] { return testing::contents_of(path); };
  ASSERT_TRUE(write_file(path, [](std::ostream& out) { out << "old"; }).ok());
  EXPECT_EQ(content(), "old");
  const auto failed = write_file(path, [](std::ostream& out) {
    out << "new";
    out.setstate(std::ios::badbit);
  });
  ASSERT_FALSE(failed.ok());
  EXPECT_FALSE(failed.error().advice.empty());
  EXPECT_EQ(content(), "old");
  ASSERT_TRUE(write_file(path, [&](std::ostream& out) {
                out << "new";
                EXPECT_EQ(content(), "old");
              }).ok());
  EXPECT_EQ(content(), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(WriteFile, TellsWhyAFolderCannotBeWritten) {
  const testing::TemporaryFolder folder;
  const auto missing = write_file(folder.path() / "none" / "report.csv", [](std::ostream&) {});
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().detail.find("No such file or directory"), std::string::npos);
}

}  // namespace
}  // namespace dlview::report
