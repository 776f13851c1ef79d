#include "import/dlprof/tables.h"

#include <string_view>
#include <utility>

#include "import/dlprof/errors.h"

namespace dlview::import::dlprof {
namespace {

constexpr int64_t kRowsBetweenReports = 4096;

// "SELECT id, NULL, ... FROM table ORDER BY id", with NULL for what is absent and may be.
base::Result<std::string> select_for(Context& context, const TableSpec& table) {
  std::string columns;
  for (const ColumnSpec& column : table.columns) {
    if (!columns.empty()) columns += ", ";
    if (context.database.has_column(table.name, column.name)) {
      columns += column.name;
    } else if (column.lacking != nullptr) {
      context.lacking.insert(column.lacking);
      columns += "NULL";
    } else {
      return lacks_column(context.database, table.name, column.name);
    }
  }
  return "SELECT " + columns + " FROM " + table.name + " ORDER BY " + table.columns[0].name;
}

// Ids count up from 1, so the largest is the number of rows or a little more, at the cost of one
// look-up instead of a scan.
int64_t expected_rows(const Context& context, const TableSpec& table) {
  base::Result<sqlite::Statement> rows = context.database.prepare(
      std::string("SELECT max(") + table.columns[0].name + ") FROM " + table.name);
  return rows && rows->next() ? rows->integer(0) : 0;
}

// The first integer column that does not hold one.
const ColumnSpec* unreadable_column(const sqlite::Statement& row, const TableSpec& table) {
  for (int i = 0; i < static_cast<int>(table.columns.size()); ++i) {
    const ColumnSpec& column = table.columns[static_cast<std::size_t>(i)];
    if (column.kind != ColumnSpec::Kind::integer || row.is_integer(i)) continue;
    if (column.lacking == nullptr || !row.is_null(i)) return &column;
  }
  return nullptr;
}

}  // namespace

profile::StringId Context::text(const TableSpec& table, const sqlite::Statement& row, int column) {
  if (row.is_null(column)) return 0;
  const int64_t id = row.integer(column);
  if (const std::optional<profile::StringId> text = dictionary.find(id)) return *text;
  quality.add(table.name, "a text is not in the dictionary; the row is used with an empty text",
              row.integer(0), [&] {
                return std::string(table.columns[static_cast<std::size_t>(column)].name) + " " +
                       std::to_string(id) + " does not exist";
              });
  return 0;
}

base::Status for_each_row(Context& context, const TableSpec& table, const UseRow& use,
                          const UseRow& skip) {
  if (!context.database.has_table(table.name)) {
    if (table.lacking == nullptr) return lacks_table(context.database, table.name);
    context.lacking.insert(table.lacking);
    return base::Success{};
  }
  base::Result<std::string> sql = select_for(context, table);
  if (!sql) return std::move(sql).error();
  base::Result<sqlite::Statement> rows = context.database.prepare(*sql);
  if (!rows) return std::move(rows).error();

  context.progress.begin_stage(table.stage, expected_rows(context, table));
  for (int64_t count = 1; rows->next(); ++count) {
    if (count % kRowsBetweenReports == 0) context.progress.set_done(count);
    const ColumnSpec* unreadable = unreadable_column(*rows, table);
    if (unreadable == nullptr) {
      use(*rows);
      continue;
    }
    if (skip) skip(*rows);
    context.quality.add(table.name, "a value is not an integer", rows->integer(0),
                        [&] { return std::string(unreadable->name) + " is none"; });
  }
  return rows->status();
}

}  // namespace dlview::import::dlprof
