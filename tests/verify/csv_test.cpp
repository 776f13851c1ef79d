#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verify/compare.h"
#include "verify/csv_reader.h"

namespace dlview::verify {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Records = std::vector<std::vector<std::string>>;

Records read(std::string_view text) {
  CsvReader reader(text);
  Records records;
  for (std::vector<std::string> cells; reader.next(cells);) records.push_back(cells);
  return records;
}

TEST(CsvReader, ReadsQuotesCommasAndNewlines) {
  EXPECT_THAT(read("a,\"b \"\"c\"\", d\",\n\"x\ny\",,1\n"),
              ElementsAre(ElementsAre("a", "b \"c\", d", ""), ElementsAre("x\ny", "", "1")));
}

TEST(CsvReader, AcceptsBothLineEnds) {
  EXPECT_THAT(
      read("a,b\r\n\r\nc,\"d\"\r\ne"),
      ElementsAre(ElementsAre("a", "b"), ElementsAre(""), ElementsAre("c", "d"), ElementsAre("e")));
  EXPECT_THAT(read(""), IsEmpty());
}

TEST(CsvReader, EndsWithAnOpenQuote) {
  EXPECT_THAT(read("a,\"b\nc"), ElementsAre(ElementsAre("a", "b\nc")));
  EXPECT_THAT(read("\""), ElementsAre(ElementsAre("")));
}

constexpr const char* kReport = "Op Report\nOp ID,Calls,Type\n\"A_1\",1,\"a\"\n\"B_1\",2,\"b\"\n";

TEST(CompareCsv, OfEqualTextsMatchesEveryRow) {
  const Check check = compare_csv("r.csv", kReport, kReport);
  EXPECT_EQ(check.rows, 4);
  EXPECT_EQ(check.matched, 4);
  EXPECT_TRUE(check.matches());
  EXPECT_EQ(check.note, "byte for byte identical");
}

TEST(CompareCsv, SaysWhenOnlyTheBytesDiffer) {
  const Check check =
      compare_csv("r.csv", "Op Report\r\nOp ID,Calls,Type\r\nA_1,1,a\r\nB_1,2,b\r\n", kReport);
  EXPECT_EQ(check.matched, 4);
  EXPECT_TRUE(check.matches());
  EXPECT_EQ(check.note, "all cells equal; quotes or line ends differ");
}

TEST(CompareCsv, NamesDifferingCellsByHeader) {
  const Check check = compare_csv(
      "r.csv", "Op Report\nOp ID,Calls,Type\n\"A_1\",1,\"a\"\n\"B_1\",7,\"b\"\n", kReport);
  EXPECT_EQ(check.matched, 3);
  EXPECT_THAT(check.first_differences, ElementsAre(Difference{"row 4", "Calls", "7", "2"}));
}

TEST(CompareCsv, NamesMissingRowsAndCells) {
  const Check shorter = compare_csv("r.csv", "Op Report\nOp ID,Calls,Type\n\"A_1\",1\n", kReport);
  EXPECT_EQ(shorter.matched, 2);
  EXPECT_THAT(shorter.first_differences,
              ElementsAre(Difference{"row 3", "Type", "no such cell", "a"},
                          Difference{"row 4", "", "no such row", "a row"}));
}

}  // namespace
}  // namespace dlview::verify
