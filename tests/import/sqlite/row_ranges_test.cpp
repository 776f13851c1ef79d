#include "import/sqlite/row_ranges.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/test_database.h"

namespace dlview::import::sqlite {
namespace {

using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RowRanges : public ::testing::Test {
 protected:
  Database open_with(const std::string& sql) {
    testing::TestDatabase(path()).execute(sql);
    return open_read_only(path(), progress_).value();
  }

  std::filesystem::path path() const { return folder_.path() / "db.sqlite"; }

  // The values of column v, range by range.
  static std::vector<int64_t> read_all(const Database& database, const TableCut& cut) {
    std::vector<std::vector<int64_t>> parts(cut.ranges.size());
    const base::Status status =
        read_ranges(database, cut, {{"v"}}, [&](TableRows& rows, std::size_t range) {
          while (rows.next()) parts[range].push_back(rows.integer(0));
          return rows.status();
        });
    EXPECT_TRUE(status.ok());
    std::vector<int64_t> all;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      EXPECT_LE(parts[i].size(), cut.ranges[i].room);
      all.insert(all.end(), parts[i].begin(), parts[i].end());
    }
    return all;
  }

  testing::TemporaryFolder folder_;
  base::Progress progress_;
};

constexpr const char* kManyRows =
    "CREATE TABLE t(id INTEGER PRIMARY KEY, v);"
    "WITH RECURSIVE n(x) AS (SELECT -5 UNION ALL SELECT x + 1 FROM n WHERE x < 200000)"
    "  INSERT INTO t SELECT x, x * 3 FROM n;";

TEST_F(RowRanges, HoldEveryRowOnceAndInOrder) {
  const Database database = open_with(kManyRows);
  for (const char* order : {"rowid", "ID"}) {
    const TableCut cut = cut_table(database, "t", order).value();
    EXPECT_THAT(cut.ranges, SizeIs(Gt(1U)));
    EXPECT_EQ(cut.room(), 200006U);
    const std::vector<int64_t> values = read_all(database, cut);
    EXPECT_THAT(values, SizeIs(200006));
    EXPECT_TRUE(std::ranges::is_sorted(values));
  }
}

TEST_F(RowRanges, LeaveRoomForGaps) {
  const Database database =
      open_with(std::string(kManyRows) + "DELETE FROM t WHERE id BETWEEN 10 AND 150000;");
  const TableCut cut = cut_table(database, "t", kRowId).value();
  EXPECT_THAT(read_all(database, cut), SizeIs(50015));
}

TEST_F(RowRanges, AreOneWhereARowIdLiesFarFromTheOthers) {
  const Database database = open_with(
      "CREATE TABLE t(v); INSERT INTO t(rowid, v) VALUES(9223372036854775807, 2),"
      "  (-9223372036854775808, 1);");
  const TableCut cut = cut_table(database, "t", kRowId).value();
  EXPECT_FALSE(cut.is_by_rowid);
  EXPECT_THAT(read_all(database, cut), ElementsAre(1, 2));
}

TEST_F(RowRanges, AreOneWhereTheOrderIsNotThatOfRowIds) {
  const Database database = open_with(
      "CREATE TABLE t(id INTEGER PRIMARY KEY DESC, v); INSERT INTO t VALUES(2, 20), (1, 10);"
      "CREATE TABLE key(name TEXT PRIMARY KEY, v) WITHOUT ROWID;"
      "INSERT INTO key VALUES('b', 2), ('a', 1);"
      "CREATE TABLE hidden(rowid TEXT, v); INSERT INTO hidden VALUES('x', 7), (NULL, 8);");
  const TableCut by_id = cut_table(database, "t", "id").value();
  EXPECT_FALSE(by_id.is_by_rowid);
  EXPECT_THAT(read_all(database, by_id), ElementsAre(10, 20));
  EXPECT_THAT(read_all(database, cut_table(database, "key", kRowId).value()), ElementsAre(1, 2));
  EXPECT_THAT(read_all(database, cut_table(database, "hidden", kRowId).value()), ElementsAre(7, 8));
}

TEST_F(RowRanges, ThereAreNoneInAnEmptyTable) {
  const Database database = open_with("CREATE TABLE t(v);");
  const TableCut cut = cut_table(database, "t", kRowId).value();
  EXPECT_THAT(cut.ranges, IsEmpty());
  EXPECT_THAT(read_all(database, cut), IsEmpty());
}

TEST_F(RowRanges, DamageInOneIsAnError) {
  open_with(kManyRows);
  std::string bytes = testing::contents_of(path());
  const auto middle = bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2 / 4096 * 4096);
  std::fill(middle, middle + 4096, '\xa5');
  testing::write_file(path(), bytes);
  const Database database = open_read_only(path(), progress_).value();
  const TableCut cut = cut_table(database, "t", kRowId).value();
  const base::Status status = read_ranges(database, cut, {{"v"}}, [](TableRows& rows, std::size_t) {
    while (rows.next()) continue;
    return rows.status();
  });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().title, "The file is damaged");
}

TEST_F(RowRanges, EndWhenTheJobIsCanceled) {
  const Database database = open_with(kManyRows);
  const TableCut cut = cut_table(database, "t", kRowId).value();
  const base::Status status =
      read_ranges(database, cut, {{"v"}}, [&](TableRows& rows, std::size_t) {
        progress_.cancel();
        while (rows.next()) continue;
        return rows.status();
      });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().title, "Canceled");
}

TEST_F(RowRanges, ReadTheWalOfADatabase) {
  testing::TestDatabase writer(path());
  writer.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;");
  writer.execute(kManyRows);
  const Database database = open_read_only(path(), progress_).value();
  ASSERT_TRUE(database.file().has_companions());
  const TableCut cut = cut_table(database, "t", kRowId).value();
  EXPECT_THAT(read_all(database, cut), SizeIs(200006));
}

}  // namespace
}  // namespace dlview::import::sqlite
