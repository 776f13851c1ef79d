#include "import/dlprof/tables.h"

#include <string_view>
#include <utility>

#include "import/dlprof/errors.h"

namespace dlview::import::dlprof {
namespace {

constexpr int64_t kRowsBetweenReports = 4096;

// Without a name for what is absent and may be.
base::Result<std::vector<sqlite::RowColumn>> columns_of(Context& context, const TableSpec& table) {
  std::vector<sqlite::RowColumn> columns;
  for (const ColumnSpec& column : table.columns) {
    sqlite::RowColumn& wanted = columns.emplace_back();
    if (column.kind == ColumnSpec::Kind::text) wanted.kind = sqlite::RowColumn::Kind::text;
    if (context.database.has_column(table.name, column.name)) {
      wanted.name = column.name;
    } else if (column.lacking != nullptr) {
      context.lacking.insert(column.lacking);
    } else {
      return lacks_column(context.database, table.name, column.name);
    }
  }
  return columns;
}

// "SELECT id, NULL, ... FROM table ORDER BY id"
std::string select(const TableSpec& table, const std::vector<sqlite::RowColumn>& columns) {
  std::string list;
  for (const sqlite::RowColumn& column : columns) {
    list += (list.empty() ? "" : ", ") + (column.name.empty() ? "NULL" : column.name);
  }
  return "SELECT " + list + " FROM " + table.name + " ORDER BY " + table.columns[0].name;
}

// Ids count up from 1, so the largest is the number of rows or a little more, at the cost of one
// look-up instead of a scan.
int64_t expected_rows(const Context& context, const TableSpec& table) {
  base::Result<sqlite::Statement> rows = context.database.prepare(
      std::string("SELECT max(") + table.columns[0].name + ") FROM " + table.name);
  return rows && rows->next() ? rows->integer(0) : 0;
}

// The first integer column that does not hold one.
template <typename AnyRow>
const ColumnSpec* unreadable_column(const AnyRow& row, const TableSpec& table) {
  for (int i = 0; i < static_cast<int>(table.columns.size()); ++i) {
    const ColumnSpec& column = table.columns[static_cast<std::size_t>(i)];
    if (column.kind != ColumnSpec::Kind::integer || row.is_integer(i)) continue;
    if (column.lacking == nullptr || !row.is_null(i)) return &column;
  }
  return nullptr;
}

template <typename AnyRow>
void note_unreadable(const TableSpec& table, const AnyRow& row, const ColumnSpec& column,
                     QualityLog& notes) {
  notes.add(table.name, "a value is not an integer", row.integer(0),
            [&] { return std::string(column.name) + " is none"; });
}

template <typename AnyRow>
profile::StringId find_text(const IdMap<profile::StringId>& dictionary, const TableSpec& table,
                            const AnyRow& row, int column, QualityLog& notes) {
  if (row.is_null(column)) return 0;
  const int64_t id = row.integer(column);
  if (const std::optional<profile::StringId> text = dictionary.find(id)) return *text;
  notes.add(table.name, "a text is not in the dictionary; the row is used with an empty text",
            row.integer(0), [&] {
              return std::string(table.columns[static_cast<std::size_t>(column)].name) + " " +
                     std::to_string(id) + " does not exist";
            });
  return 0;
}

// False, noted as lacking, for a table that is absent and may be.
base::Result<bool> has_table(Context& context, const TableSpec& table) {
  if (context.database.has_table(table.name)) return true;
  if (table.lacking == nullptr) return lacks_table(context.database, table.name);
  context.lacking.insert(table.lacking);
  return false;
}

}  // namespace

profile::StringId Context::text(const TableSpec& table, const sqlite::Statement& row, int column) {
  return find_text(dictionary, table, row, column, quality);
}

profile::StringId Context::text(const TableSpec& table, const sqlite::TableRows& row, int column,
                                QualityLog& notes) const {
  return find_text(dictionary, table, row, column, notes);
}

base::Status for_each_row(Context& context, const TableSpec& table, const UseRow& use,
                          const UseRow& skip) {
  const base::Result<bool> is_there = has_table(context, table);
  if (!is_there) return is_there.error();
  if (!*is_there) return base::Success{};
  const auto columns = columns_of(context, table);
  if (!columns) return columns.error();
  base::Result<sqlite::Statement> rows = context.database.prepare(select(table, *columns));
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
    note_unreadable(table, *rows, *unreadable, context.quality);
  }
  return rows->status();
}

base::Result<RangedTable> begin_ranges(Context& context, const TableSpec& table) {
  RangedTable ranged{table, {}, {}, {}};
  const base::Result<bool> is_there = has_table(context, table);
  if (!is_there) return is_there.error();
  if (!*is_there) return ranged;
  auto columns = columns_of(context, table);
  if (!columns) return std::move(columns).error();
  auto cut = sqlite::cut_table(context.database, table.name, table.columns[0].name);
  if (!cut) return std::move(cut).error();
  ranged.columns = std::move(*columns);
  ranged.cut = std::move(*cut);
  ranged.notes.resize(ranged.cut.ranges.size());
  return ranged;
}

base::Status read_ranges(Context& context, RangedTable& table, const UseRangeRow& use,
                         const UseRangeRow& skip) {
  context.progress.begin_stage(table.spec.stage, static_cast<int64_t>(table.cut.room()));
  const auto read = [&](sqlite::TableRows& rows, std::size_t range) {
    for (int64_t count = 1; rows.next(); ++count) {
      if (count % kRowsBetweenReports == 0) context.progress.add_done(kRowsBetweenReports);
      const ColumnSpec* unreadable = unreadable_column(rows, table.spec);
      if (unreadable == nullptr) {
        use(rows, range);
        continue;
      }
      if (skip) skip(rows, range);
      note_unreadable(table.spec, rows, *unreadable, table.notes[range]);
    }
    return rows.status();
  };
  base::Status status = sqlite::read_ranges(context.database, table.cut, table.columns, read);
  for (QualityLog& notes : table.notes) context.quality.append(std::move(notes));
  return status;
}

}  // namespace dlview::import::dlprof
