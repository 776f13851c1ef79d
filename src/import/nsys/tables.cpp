#include "import/nsys/tables.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "import/nsys/event_ranges.h"
#include "import/nsys/range_joiner.h"

namespace dlview::import::nsys {
namespace {

bool has_column(const sqlite::Database& database, const char* table, std::string_view column) {
  return column == sqlite::kRowId || database.has_column(table, column);
}

// With NULL for what the table lacks. Names are quoted because "end" is a word of SQL.
std::string select_list(const sqlite::Database& database, const char* table,
                        std::span<const char* const> columns) {
  std::string list;
  for (const char* column : columns) {
    list += list.empty() ? "" : ", ";
    list += has_column(database, table, column) ? fmt::format("\"{}\"", column) : "NULL";
  }
  return list;
}

}  // namespace

base::Status for_each_row(Context& context, const char* table, std::span<const char* const> columns,
                          const UseRow& use) {
  if (!context.database.has_table(table)) return base::Success{};
  base::Result<sqlite::Statement> rows = context.database.prepare(
      "SELECT " + select_list(context.database, table, columns) + " FROM " + table);
  if (!rows) return std::move(rows).error();
  for (int64_t number = 1; rows->next(); ++number) {
    if (number % kRowsBetweenReports == 0) context.progress.set_done(number);
    use(*rows, number);
  }
  return rows->status();
}

base::Status read_events(Context& context, const EventTable& table,
                         profile::Column<int64_t>& start_ns, profile::Column<int64_t>& end_ns,
                         std::span<const ColumnSpec> columns) {
  if (!context.database.has_table(table.name)) return base::Success{};
  const base::Result<sqlite::TableCut> cut =
      sqlite::cut_table(context.database, table.name, sqlite::kRowId);
  if (!cut) return cut.error();
  context.progress.begin_stage(table.stage, static_cast<int64_t>(cut->room()));

  EventColumns present(cut->room(), start_ns, end_ns);
  for (const ColumnSpec& column : columns) {
    if (has_column(context.database, table.name, column.name)) present.add(column);
  }
  RangeJoiner joiner(context, table, cut->ranges, present);
  const auto read = [&](sqlite::TableRows& rows, std::size_t range) {
    base::Status status =
        read_range(context, table, rows, cut->ranges[range], present, joiner.found(range));
    if (status) joiner.take(range);
    return status;
  };
  std::vector<sqlite::RowColumn> sources = present.sources();
  for (sqlite::RowColumn& source : sources) {
    if (!has_column(context.database, table.name, source.name)) source.name.clear();
  }
  DLVIEW_TRY(sqlite::read_ranges(context.database, *cut, sources, read));
  joiner.finish();
  return context.texts.status();
}

base::Status read_instants(Context& context, const EventTable& table,
                           profile::Column<int64_t>& time_ns, std::span<const ColumnSpec> columns) {
  profile::Column<int64_t> no_ends;
  return read_events(context, {table.name, table.stage, Times::instants}, time_ns, no_ends,
                     columns);
}

base::Status read_rows(Context& context, const EventTable& table,
                       std::span<const ColumnSpec> columns) {
  profile::Column<int64_t> no_starts, no_ends;
  return read_events(context, {table.name, table.stage, Times::none}, no_starts, no_ends, columns);
}

}  // namespace dlview::import::nsys
