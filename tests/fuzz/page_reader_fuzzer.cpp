// A database of any bytes: rows that are read from its pages are those that SQLite reads, or the
// reader gives up. Each table is read whole and in two halves.
#include <algorithm>
#include <cctype>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fuzz/fuzz.h"
#include "import/sqlite/row_ranges.h"

namespace dlview::fuzz {
namespace {

using namespace import::sqlite;

constexpr std::size_t kMostTables = 4, kMostColumns = 24;
constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
constexpr int64_t kLast = std::numeric_limits<int64_t>::max();

using Rows = std::vector<std::string>;
struct Range {
  int64_t first, last;
};

struct Question {
  std::string table, sql;
  std::vector<RowColumn> columns;
};

// What dlview itself asks for: it knows all names.
bool is_plain_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

std::optional<Question> question_about(const Database& database, const std::string& table) {
  Question question{table, "", {}};
  base::Result<Statement> stored =
      database.prepare("SELECT name, type FROM pragma_table_xinfo(?1) ORDER BY cid");
  if (!stored) return std::nullopt;
  stored->bind(1, table);
  while (stored->next() && question.columns.size() < kMostColumns) {
    const std::string name(stored->text(0));
    if (!is_plain_name(name)) continue;
    const bool is_integer = stored->text(1).find("INT") != std::string_view::npos;
    question.columns.push_back(
        {name, is_integer ? RowColumn::Kind::integer : RowColumn::Kind::text});
  }
  question.columns.push_back({kRowId});
  question.columns.push_back({""});
  std::string list;
  for (const RowColumn& column : question.columns) {
    list += list.empty() ? "" : ", ";
    list += column.name.empty() ? "NULL" : fmt::format("\"{}\"", column.name);
  }
  question.sql =
      fmt::format("SELECT {} FROM {} WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid", list, table);
  return question;
}

base::Result<Statement> ask(const Database& database, const Question& question, Range range) {
  base::Result<Statement> rows = database.prepare(question.sql);
  if (rows) {
    rows->bind(1, range.first);
    rows->bind(2, range.last);
  }
  return rows;
}

// A row as readers see it, through the functions that they call.
template <typename Source>
std::string row_text(const Source& rows, const std::vector<RowColumn>& columns) {
  std::string text;
  for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
    const auto cell = rows.cell(i);
    if (cell.is_null) {
      text += "NULL|";
    } else if (columns[static_cast<std::size_t>(i)].kind == RowColumn::Kind::text) {
      text += fmt::format("'{}'|", rows.text(i));
    } else {
      text += fmt::format("{}{}|", cell.integer, cell.is_integer ? "" : " of no integer");
    }
  }
  return text;
}

// Nothing when the reader gives up.
std::optional<Rows> by_pages(const Database& database, const PageFile& file,
                             const TableLayout& layout, const Question& question, Range range) {
  const TableRows::Pages pages{file, layout, question.columns, range.last};
  TableRows rows(database, range.first, &pages, [&](int64_t first) {
    return ask(database, question, {first, range.last});
  });
  Rows read;
  while (rows.next()) read.push_back(row_text(rows, question.columns));
  return rows.status() ? std::optional(std::move(read)) : std::nullopt;
}

// Nothing when SQLite finds the table damaged.
std::optional<Rows> by_sqlite(const Database& database, const Question& question) {
  base::Result<Statement> rows = ask(database, question, {kFirst, kLast});
  if (!rows) return std::nullopt;
  Rows read;
  while (rows->next()) read.push_back(row_text(*rows, question.columns));
  return rows->status() ? std::optional(std::move(read)) : std::nullopt;
}

// As the import reads tables.
std::optional<Rows> by_ranges(const Database& database, const TableCut& cut,
                              const Question& question) {
  Rows read;
  const base::Status status =
      read_ranges(database, cut, question.columns, [&](TableRows& rows, std::size_t) {
        while (rows.next()) read.push_back(row_text(rows, question.columns));
        return rows.status();
      });
  return status ? std::optional(std::move(read)) : std::nullopt;
}

void compare(const std::optional<Rows>& read, const std::optional<Rows>& expected,
             const Question& question, std::string_view how) {
  if (!read) return;
  const std::string what = fmt::format("table {}, read {}", question.table, how);
  require(expected.has_value(), what + ": SQLite calls it damaged");
  for (std::size_t i = 0; i < std::min(read->size(), expected->size()); ++i) {
    require((*read)[i] == (*expected)[i], what,
            fmt::format("row {}:\n{}\nSQLite:\n{}", i, (*read)[i], (*expected)[i]));
  }
  require(read->size() == expected->size(), what,
          fmt::format("{} rows, SQLite: {}", read->size(), expected->size()));
}

void check_table(const Database& database, const PageFile& file, const std::string& table) {
  const base::Result<TableCut> cut = cut_table(database, table, kRowId);
  if (!cut || !(*cut).is_by_rowid) return;
  const std::optional<Question> question = question_about(database, table);
  const std::optional<TableLayout> layout =
      question ? find_layout(database, table, question->columns) : std::nullopt;
  if (!layout) return;
  const std::optional<Rows> whole = by_pages(database, file, *layout, *question, {kFirst, kLast});
  // A damaged tree may take SQLite as long as it likes.
  if (!whole) return;
  const std::optional<Rows> expected = by_sqlite(database, *question);
  compare(whole, expected, *question, "whole");
  compare(by_ranges(database, *cut, *question), expected, *question, "in ranges");
  std::optional<Rows> low = by_pages(database, file, *layout, *question, {kFirst, 20});
  const std::optional<Rows> high = by_pages(database, file, *layout, *question, {21, kLast});
  if (!low || !high) return;
  low->insert(low->end(), high->begin(), high->end());
  compare(low, expected, *question, "in halves");
}

}  // namespace
}  // namespace dlview::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace dlview;
  static const std::filesystem::path path = fuzz::folder() / "input.sqlite";
  fuzz::use_one_thread();
  fuzz::write(path, {reinterpret_cast<const char*>(data), size});
  base::Progress progress;
  const auto database = import::sqlite::open_read_only(path, progress);
  if (!database) return 0;
  const auto file = import::sqlite::PageFile::open(database->file());
  const auto tables = database->table_names();
  if (!file || !tables) return 0;
  std::size_t left = fuzz::kMostTables;
  for (const std::string& table : *tables) {
    if (left-- == 0) break;
    if (fuzz::is_plain_name(table)) fuzz::check_table(*database, *file, table);
  }
  return 0;
}
