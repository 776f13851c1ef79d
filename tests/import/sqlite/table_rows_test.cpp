// Rows that are read from the pages of a file are those that SQLite reads.
#include "import/sqlite/table_rows.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/test_database.h"

namespace dlview::import::sqlite {
namespace {

using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Integers of all lengths, texts of which some fill several pages, NULLs and gaps.
constexpr const char* kTable = R"(
CREATE TABLE t(id INTEGER PRIMARY KEY, plain TEXT, number INTEGER, flag BOOLEAN, name TEXT, more);
WITH RECURSIVE n(x) AS (SELECT -300 UNION ALL SELECT x + 1 FROM n WHERE x < 3000)
  INSERT INTO t SELECT x * 3, 'skipped', CASE WHEN x % 7 = 0 THEN NULL
      WHEN x % 2 = 0 THEN (x << (x & 47)) + x ELSE -(x << (x & 39)) END,
    x % 3 - 1, CASE WHEN x % 11 = 0 THEN NULL WHEN x % 200 = 5
      THEN printf('%.*c', 600 * abs(x), 'x') ELSE 'text ' || x END, x FROM n;
DELETE FROM t WHERE id BETWEEN 100 AND 2000 OR id % 13 = 0;
)";
const std::vector<RowColumn> kColumns{{"ID"}, {"number"}, {"flag"}, {"NAME", RowColumn::Kind::text},
                                      {""},   {"more"},   {"rowid"}};

struct Rows {
  std::vector<std::vector<std::string>> cells;
  bool by_sqlite = false;  // SQLite was asked for some
  base::Status status{base::Success{}};
};

class TableRowsTest : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.path() / "db.sqlite"; }

  Database open_with(const std::string& sql) {
    testing::TestDatabase(path()).execute(sql);
    return open_read_only(path(), progress_).value();
  }

  static constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kLast = std::numeric_limits<int64_t>::max();

  // Of table t, from the pages where there is a layout.
  static Rows read(const Database& database, const std::vector<RowColumn>& columns,
                   const std::optional<TableLayout>& layout, int64_t first = kFirst,
                   int64_t last = kLast) {
    Rows read;
    const auto ask_from = [&](int64_t from) -> base::Result<Statement> {
      read.by_sqlite = true;
      std::string list;
      for (const RowColumn& column : columns) {
        list += (list.empty() ? "" : ",") + (column.name.empty() ? "NULL" : column.name);
      }
      auto rows = database.prepare("SELECT " + list +
                                   " FROM t WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid");
      if (!rows) return rows;
      rows->bind(1, from);
      rows->bind(2, last);
      return rows;
    };
    const std::optional<PageFile> file = PageFile::open(database.file());
    std::unique_ptr<TableRows::Pages> pages;
    if (layout) pages.reset(new TableRows::Pages{*file, *layout, columns, last});
    TableRows rows(database, first, pages.get(), ask_from);
    while (rows.next()) {
      std::vector<std::string>& cells = read.cells.emplace_back();
      for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
        const std::string type = rows.is_null(i) ? "null" : rows.is_integer(i) ? "integer" : "";
        cells.push_back(type + " " + std::string(rows.text(i)));
        if (rows.is_integer(i)) cells.back() += " " + std::to_string(rows.integer(i));
      }
    }
    read.status = rows.status();
    return read;
  }

  testing::TemporaryFolder folder_;
  base::Progress progress_;
};

TEST_F(TableRowsTest, AreThoseOfSqliteWhateverTheSizeOfPages) {
  for (const char* bytes : {"512", "1024", "4096", "65536"}) {
    std::filesystem::remove(path());
    const Database database =
        open_with(std::string("PRAGMA page_size = ") + bytes + "; BEGIN;" + kTable + "COMMIT;");
    const auto layout = find_layout(database, "T", kColumns);
    ASSERT_TRUE(layout);
    for (const auto& [first, last] : {std::pair(kFirst, kLast), std::pair(-1L, 5000L),
                                      std::pair(2001L, 2001L), std::pair(9001L, kLast)}) {
      const Rows by_pages = read(database, kColumns, layout, first, last);
      const Rows by_sqlite = read(database, kColumns, {}, first, last);
      EXPECT_FALSE(by_pages.by_sqlite) << bytes;
      EXPECT_TRUE(by_sqlite.by_sqlite);
      EXPECT_EQ(by_pages.cells, by_sqlite.cells) << bytes << " from " << first;
    }
    EXPECT_THAT(read(database, kColumns, layout).cells, SizeIs(Gt(2000U)));
  }
}

TEST_F(TableRowsTest, AreSqlitesFromTheFirstValueOfAnotherKindOn) {
  const auto database = open_with(std::string(kTable) +
                                  "UPDATE t SET number = 1.5 WHERE id = 2001;"
                                  "UPDATE t SET name = 12 WHERE id = 2004;"
                                  "UPDATE t SET flag = '3 flags' WHERE id = 2010;");
  const Rows rows = read(database, kColumns, find_layout(database, "t", kColumns));
  EXPECT_TRUE(rows.by_sqlite);
  EXPECT_EQ(rows.cells, read(database, kColumns, {}).cells);
}

TEST_F(TableRowsTest, HaveTheDefaultOfAColumnThatWasAddedLater) {
  const Database database = open_with(
      "CREATE TABLE t(v); INSERT INTO t VALUES(1), (2); ALTER TABLE t ADD COLUMN w DEFAULT 7;"
      "INSERT INTO t VALUES(3, 8);");
  const std::vector<RowColumn> columns{{"v"}, {"w"}};
  const Rows rows = read(database, columns, find_layout(database, "t", columns));
  EXPECT_EQ(rows.cells, read(database, columns, {}).cells);
  EXPECT_EQ(rows.cells[0][1], "integer 7 7");
}

TEST_F(TableRowsTest, LeavesRowsThatSqliteConvertsToSqlite) {
  const Database database = open_with(
      "CREATE TABLE t(v REAL, w INTEGER); CREATE TABLE made(v, w AS (v + 1));"
      "CREATE VIEW seen AS SELECT * FROM t;");
  EXPECT_FALSE(find_layout(database, "t", {{"v"}}));
  EXPECT_TRUE(find_layout(database, "t", {{"w"}}));
  EXPECT_FALSE(find_layout(database, "made", {{"v"}}));
  EXPECT_FALSE(find_layout(database, "seen", {{"w"}}));
  EXPECT_FALSE(find_layout(database, "t", {{"none"}}));
}

TEST_F(TableRowsTest, AreNotReadFromPagesOfTextsThatAreNotUtf8) {
  const Database database = open_with("PRAGMA encoding = 'UTF-16'; CREATE TABLE t(v TEXT);");
  EXPECT_FALSE(PageFile::open(database.file()));
}

TEST_F(TableRowsTest, MayHaveTheLargestOfAllRowids) {
  const Database database = open_with(
      "CREATE TABLE t(v); INSERT INTO t(rowid, v) VALUES(9223372036854775806, 1),"
      "(9223372036854775807, 2);");
  const Rows rows = read(database, {{"v"}}, find_layout(database, "t", {{"v"}}));
  EXPECT_FALSE(rows.by_sqlite);
  EXPECT_EQ(rows.cells, read(database, {{"v"}}, {}).cells);
  EXPECT_THAT(rows.cells, SizeIs(2));
}

// Records as a hostile file may have them.
class RecordTest : public ::testing::Test {
 protected:
  // Of a table with two integers.
  static bool reads(std::vector<uint8_t> bytes) {
    const std::vector<RowColumn> columns{{"v"}, {"w"}};
    TableLayout layout;
    layout.places = {0, 1};
    const std::size_t size = bytes.size();
    bytes.resize(size + kRecordPadding);
    return Record(layout, columns).read(std::span(bytes).first(size), 1);
  }
};

TEST_F(RecordTest, IsReadWhereItsHeaderAndItsValuesFillIt) {
  EXPECT_TRUE(reads({3, 1, 1, 7, 8}));
}

TEST_F(RecordTest, IsSqlitesWhereItsHeaderIsShorterThanItsOwnLength) {
  EXPECT_FALSE(reads({0}));
  EXPECT_FALSE(reads({0x80, 1}));
}

TEST_F(RecordTest, IsSqlitesWhereItEndsBehindItsValuesOrBeforeThem) {
  EXPECT_FALSE(reads({3, 1, 1, 7, 8, 9}));
  EXPECT_FALSE(reads({3, 1, 2, 7, 8}));
}

TEST_F(TableRowsTest, ThereAreNoneInAnEmptyTable) {
  const Database database = open_with("CREATE TABLE t(v);");
  const Rows rows = read(database, {{"v"}}, find_layout(database, "t", {{"v"}}));
  EXPECT_THAT(rows.cells, IsEmpty());
  EXPECT_FALSE(rows.by_sqlite);
}

TEST_F(TableRowsTest, EndWhenTheJobIsCanceled) {
  const Database database = open_with(kTable);
  const auto layout = find_layout(database, "t", kColumns);
  progress_.cancel();
  const Rows rows = read(database, kColumns, layout);
  ASSERT_FALSE(rows.status.ok());
  EXPECT_EQ(rows.status.error().title, "Canceled");
}

// Repeats the only row of a table, whose tree is page 2, under rowids 2 to `rows`: all have the
// overflow pages of the first.
void repeat_row(std::string& bytes, int rows) {
  constexpr std::size_t kPage = 4096;
  std::string page = bytes.substr(kPage, kPage);
  const auto at =
      static_cast<std::size_t>(static_cast<uint8_t>(page[8])) << 8U | static_cast<uint8_t>(page[9]);
  const std::string cell = page.substr(at);
  std::size_t rowid = 0;
  while ((static_cast<uint8_t>(cell[rowid]) & 0x80U) != 0) ++rowid;
  ++rowid;
  for (int row = 2; row <= rows; ++row) {
    std::string copy = cell;
    copy[rowid] = static_cast<char>(row);
    const std::size_t place = kPage - static_cast<std::size_t>(row) * cell.size();
    page.replace(place, copy.size(), copy);
    const std::size_t pointer = 8 + 2 * static_cast<std::size_t>(row - 1);
    page[pointer] = static_cast<char>(place >> 8U);
    page[pointer + 1] = static_cast<char>(place & 0xffU);
    page[4] = static_cast<char>(row);
    page[5] = page[pointer];
    page[6] = page[pointer + 1];
  }
  bytes.replace(kPage, kPage, page);
}

TEST_F(TableRowsTest, ReadEachOverflowPageOnce) {
  // Of this length, 500 bytes stand on the leaf.
  open_with("CREATE TABLE t(v TEXT); INSERT INTO t VALUES(printf('%.*c', 401511, 'x'));");
  std::string bytes = testing::contents_of(path());
  repeat_row(bytes, 3);
  testing::write_file(path(), bytes);
  const Database database = open_read_only(path(), progress_).value();
  const std::vector<RowColumn> columns{{"v", RowColumn::Kind::text}};
  EXPECT_THAT(read(database, columns, {}).cells, SizeIs(3)) << "SQLite reads them all";
  const Rows rows = read(database, columns, find_layout(database, "t", columns));
  ASSERT_FALSE(rows.status.ok());
  EXPECT_EQ(rows.status.error().title, "The file is damaged");
}

TEST_F(TableRowsTest, RefuseARowBeyondTheLimit) {
  const Database database =
      open_with("CREATE TABLE t(v TEXT); INSERT INTO t VALUES(zeroblob(70000000));");
  const std::vector<RowColumn> columns{{"v", RowColumn::Kind::text}};
  for (const auto& layout : {find_layout(database, "t", columns), std::optional<TableLayout>()}) {
    const Rows rows = read(database, columns, layout);
    ASSERT_FALSE(rows.status.ok());
    EXPECT_EQ(rows.status.error().title, "A row of the file is too large");
  }
}

// SQLite reads such a table without a word, but some of its rows not at all or twice.
TEST_F(TableRowsTest, NoticePagesThatWereMixedUp) {
  for (const char* change : {"", "UPDATE t SET number = 1.5 WHERE id = -800;"}) {
    std::filesystem::remove(path());
    const Database sound_database = open_with(std::string(kTable) + change);
    const auto layout = find_layout(sound_database, "t", kColumns);
    const auto sound_rows = read(sound_database, kColumns, layout).cells;
    const std::string sound = testing::contents_of(path());
    std::vector<std::size_t> leaves;
    for (std::size_t at = 4096; at < sound.size(); at += 4096) {
      if (sound[at] == 0x0d) leaves.push_back(at);
    }
    std::mt19937 random(1);
    int noticed = 0;
    for (int attempt = 0; attempt < 60; ++attempt) {
      const std::size_t one = leaves[random() % leaves.size()];
      const std::size_t other = leaves[random() % leaves.size()];
      std::string bytes = sound;
      bytes.replace(one, 4096, sound, other, 4096);
      if (attempt % 2 == 0) bytes.replace(other, 4096, sound, one, 4096);
      testing::write_file(path(), bytes);
      const Database database = open_read_only(path(), progress_).value();
      // As several threads read it: in ranges.
      const auto middle = static_cast<int64_t>(random() % 9000) - 900;
      Rows rows = read(database, kColumns, layout, kFirst, middle);
      const Rows behind = read(database, kColumns, layout, middle + 1, kLast);
      rows.cells.insert(rows.cells.end(), behind.cells.begin(), behind.cells.end());
      if (rows.status.ok() && behind.status.ok()) {
        EXPECT_EQ(rows.cells, sound_rows) << "seed 1, attempt " << attempt;
      } else {
        ++noticed;
      }
    }
    EXPECT_GT(noticed, 40);
  }
}

TEST_F(TableRowsTest, EndWhateverIsDamaged) {
  const std::size_t count = read(open_with(kTable), kColumns, {}).cells.size();
  const std::string sound = testing::contents_of(path());
  std::mt19937 random(1);
  int damaged = 0;
  for (int attempt = 0; attempt < 60; ++attempt) {
    std::string bytes = sound;
    for (int i = 0; i < 20; ++i) {
      // Most often where the structure of a page stands.
      const std::size_t page = 1 + random() % (bytes.size() / 4096 - 1);
      bytes[page * 4096 + random() % (i % 2 == 0 ? 12 : 4096)] = static_cast<char>(random());
    }
    testing::write_file(path(), bytes);
    const Database database = open_read_only(path(), progress_).value();
    const Rows rows = read(database, kColumns, find_layout(database, "t", kColumns));
    EXPECT_LE(rows.cells.size(), 2 * count);
    if (rows.status.ok()) continue;
    ++damaged;
    EXPECT_EQ(rows.status.error().title, "The file is damaged");
  }
  EXPECT_GT(damaged, 20);
}

}  // namespace
}  // namespace dlview::import::sqlite
