#include "import/sqlite/database.h"

#include <string>
#include <utility>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/test_database.h"

namespace dlview::import::sqlite {
namespace {

using ::testing::ElementsAre;

class DatabaseTest : public ::testing::Test {
 protected:
  Database open_with(const std::string& sql) {
    const auto path = folder_.path() / "db.sqlite";
    testing::TestDatabase(path).execute(sql);
    return open_read_only(path, progress_).value();
  }

  testing::TemporaryFolder folder_;
  base::Progress progress_;
};

TEST_F(DatabaseTest, TablesAndColumnsAreFoundWithoutRegardToCase) {
  const Database database = open_with(
      "CREATE TABLE B(Id INTEGER PRIMARY KEY AUTOINCREMENT, name); CREATE TABLE a(x);"
      "CREATE VIEW v AS SELECT x FROM a;");
  EXPECT_THAT(*database.table_names(), ElementsAre("B", "a"));
  EXPECT_TRUE(database.has_table("b"));
  EXPECT_FALSE(database.has_table("v"));
  EXPECT_TRUE(database.has_column("b", "ID"));
  EXPECT_FALSE(database.has_column("b", "x"));
  EXPECT_FALSE(database.has_column("none", "x"));
}

TEST_F(DatabaseTest, AQueryThatDoesNotFitTheSchemaNamesWhatIsLacking) {
  const Database database = open_with("CREATE TABLE t(v);");
  for (const auto& [sql, lacking] :
       {std::pair("SELECT v FROM other", "no such table: other"),
        std::pair("SELECT t.weight FROM t", "no such column: t.weight")}) {
    const base::Result<Statement> rows = database.prepare(sql);
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.error().title, "The database lacks a table or column");
    EXPECT_THAT(rows.error().detail, ::testing::HasSubstr(lacking));
  }
}

TEST_F(DatabaseTest, ValuesKeepTheirTypes) {
  const Database database = open_with(
      "CREATE TABLE t(v); INSERT INTO t VALUES(NULL), (9007199254740993), (0.5), ('text');");
  base::Result<Statement> rows = database.prepare("SELECT v FROM t ORDER BY rowid");
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(rows->column_count(), 1);
  ASSERT_TRUE(rows->next());
  EXPECT_TRUE(rows->is_null(0));
  EXPECT_EQ(rows->value(0), base::Value(std::monostate{}));
  ASSERT_TRUE(rows->next());
  EXPECT_TRUE(rows->is_integer(0));
  EXPECT_EQ(rows->value(0), base::Value(int64_t{9007199254740993}));
  ASSERT_TRUE(rows->next());
  EXPECT_FALSE(rows->is_integer(0));
  EXPECT_EQ(rows->real(0), 0.5);
  EXPECT_EQ(rows->value(0), base::Value(0.5));
  ASSERT_TRUE(rows->next());
  EXPECT_EQ(rows->value(0), base::Value(std::string("text")));
  EXPECT_FALSE(rows->next());
  EXPECT_TRUE(rows->status().ok());
}

TEST_F(DatabaseTest, ParametersAreBoundByNumber) {
  const Database database =
      open_with("CREATE TABLE t(id, name); INSERT INTO t VALUES(1, 'a'), (2, 'b'), (2, 'c');");
  base::Result<Statement> rows =
      database.prepare("SELECT count(*) FROM t WHERE id = ?1 AND name = ?2");
  ASSERT_TRUE(rows.ok());
  rows->bind(1, int64_t{2});
  rows->bind(2, "c");
  ASSERT_TRUE(rows->next());
  EXPECT_EQ(rows->integer(0), 1);
}

TEST_F(DatabaseTest, TextMayHoldZeroBytes) {
  const Database database =
      open_with("CREATE TABLE t(v); INSERT INTO t VALUES('a' || char(0) || 'b');");
  base::Result<Statement> rows = database.prepare("SELECT v FROM t");
  ASSERT_TRUE(rows.ok() && rows->next());
  EXPECT_EQ(rows->text(0), std::string("a\0b", 3));
}

TEST_F(DatabaseTest, NothingCanBeWritten) {
  const Database database = open_with("CREATE TABLE t(v);");
  base::Result<Statement> insert = database.prepare("INSERT INTO t VALUES(1)");
  ASSERT_TRUE(insert.ok());
  EXPECT_FALSE(insert->next());
  EXPECT_FALSE(insert->status().ok());
}

TEST_F(DatabaseTest, AWrongStatementIsAnErrorNotACrash) {
  const Database database = open_with("CREATE TABLE t(v);");
  EXPECT_FALSE(database.prepare("SELECT x FROM nowhere").ok());
}

TEST_F(DatabaseTest, LetsOnlyJoinsRepeatTexts) {
  const Database database = open_with(
      "CREATE TABLE names(id INTEGER PRIMARY KEY, v); INSERT INTO names VALUES(1, "
      "hex(zeroblob(99)));"
      "CREATE TABLE t(name); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
      "WHERE i < 2000) INSERT INTO t SELECT 1 FROM n;");
  for (const Texts texts : {Texts::joined, Texts::of_rows}) {
    base::Result<Statement> rows =
        database.prepare("SELECT v FROM t JOIN names ON id = name", texts);
    ASSERT_TRUE(rows.ok());
    int count = 0;
    while (rows->next()) count += rows->text(0).size() == 198 ? 1 : 0;
    EXPECT_EQ(rows->status().ok(), texts == Texts::joined);
    EXPECT_EQ(count == 2000, texts == Texts::joined) << count;
  }
}

TEST_F(DatabaseTest, HasNoVirtualTables) {
  const Database database = open_with("CREATE VIRTUAL TABLE t USING fts5(v);");
  EXPECT_FALSE(database.prepare("SELECT v FROM t").ok());
}

TEST_F(DatabaseTest, CancelEndsAStatementThatWouldRunForever) {
  const Database database = open_with("CREATE TABLE t(v);");
  base::Result<Statement> endless = database.prepare(
      "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n");
  ASSERT_TRUE(endless.ok());
  progress_.cancel();
  EXPECT_FALSE(endless->next());
  ASSERT_FALSE(endless->status().ok());
  EXPECT_EQ(endless->status().error().title, "Canceled");
}

}  // namespace
}  // namespace dlview::import::sqlite
