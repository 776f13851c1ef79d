#include "import/dlprof/stored_tables.h"

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "import/dlprof/stored_declarations.h"
#include "import/errors.h"

namespace dlview::import::dlprof {
namespace {

using base::Result;
using base::Value;
using base::ValueTable;
using sqlite::Database;
using sqlite::Statement;

// The tables that name aggregations, and the columns in which they do.
constexpr std::pair<const char*, const char*> kAggregationIds[] = {{"aggregations", "id"},
                                                                   {"model_summary", "aggr_id"}};

// What the database has of a table: its own columns, and those of joined tables to which there is
// a way and which are there.
StoredDeclaration present_part(const Database& database, const StoredDeclaration& wanted) {
  std::vector<std::pair<std::string, std::string>> tables{{"t", wanted.name}};  // alias, table
  const auto has = [&](const std::string& alias, const std::string& column) {
    for (const auto& [known, table] : tables) {
      if (known == alias) return database.has_column(table, column);
    }
    return false;
  };
  StoredDeclaration present{wanted.name, 0, {}, {}};
  for (const Join& join : wanted.joins) {
    if (!has(join.left, join.foreign_key) || !database.has_column(join.table, "id")) continue;
    present.joins.push_back(join);
    tables.emplace_back(join.alias, join.table);
  }
  for (std::size_t i = 0; i < wanted.columns.size(); ++i) {
    const SourceColumn& column = wanted.columns[i];
    if (!has(column.alias, column.column)) continue;
    present.columns.push_back(column);
    if (i < wanted.key_columns) ++present.key_columns;
  }
  return present;
}

// Left joins: a row whose id leads nowhere is kept, with NULL, so that it is seen to differ.
std::string select(const StoredDeclaration& table, std::string_view order) {
  std::string sql;
  for (const SourceColumn& column : table.columns) {
    sql +=
        fmt::format("{} \"{}\".\"{}\"", sql.empty() ? "SELECT" : ",", column.alias, column.column);
  }
  sql += fmt::format(" FROM \"{}\" AS t", table.name);
  for (const Join& join : table.joins) {
    sql += fmt::format(" LEFT JOIN \"{0}\" AS \"{1}\" ON \"{1}\".id = \"{2}\".\"{3}\"", join.table,
                       join.alias, join.left, join.foreign_key);
  }
  return sql + fmt::format(" WHERE t.aggr_id = ?1 ORDER BY t.{}", order);
}

base::Status for_each_row(const Database& database, const std::string& sql, int64_t aggregation_id,
                          const UseValues& use) {
  Result<Statement> statement = database.prepare(sql, sqlite::Texts::joined);
  if (!statement) return std::move(statement).error();
  statement->bind(1, aggregation_id);
  std::vector<Value> row(static_cast<std::size_t>(statement->column_count()));
  while (statement->next()) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = statement->value(static_cast<int>(i));
    use(row);
  }
  return statement->status();
}

ValueTable without_rows(const StoredDeclaration& table) {
  ValueTable result{table.name, {}, table.key_columns, {}};
  for (const SourceColumn& column : table.columns) result.columns.push_back(column.name);
  return result;
}

}  // namespace

Result<StoredTables> StoredTables::open(const std::filesystem::path& path,
                                        base::Progress& progress) {
  Result<Database> database = sqlite::open_read_only(path, progress);
  if (!database) return std::move(database).error();
  return StoredTables(std::move(*database));
}

Result<std::vector<int64_t>> StoredTables::aggregation_ids() const {
  std::string sql;
  for (const auto& [table, column] : kAggregationIds) {
    if (!database_.has_column(table, column)) continue;
    sql += fmt::format("{}SELECT \"{}\" FROM \"{}\"", sql.empty() ? "" : " UNION ", column, table);
  }
  std::vector<int64_t> ids;
  if (sql.empty()) return ids;
  Result<Statement> statement = database_.prepare(sql + " ORDER BY 1");
  if (!statement) return std::move(statement).error();
  while (statement->next()) ids.push_back(statement->integer(0));
  DLVIEW_TRY(statement->status());
  return ids;
}

Result<std::vector<ValueTable>> StoredTables::read(int64_t aggregation_id) const {
  std::vector<ValueTable> tables;
  for (const StoredDeclaration& wanted : stored_declarations()) {
    const StoredDeclaration table = present_part(database_, wanted);
    if (table.columns.empty()) continue;  // no such table
    ValueTable& values = tables.emplace_back(without_rows(table));
    const base::Status status =
        for_each_row(database_, select(table, "id"), aggregation_id,
                     [&](const std::vector<Value>& row) { values.rows.push_back(row); });
    if (!status) return status.error();
  }
  // A table may have seemed to be missing.
  if (database_.progress().canceled()) return canceled(database_.path());
  return tables;
}

ValueTable StoredTables::kernel_iterations() const {
  return without_rows(present_part(database_, kernel_iteration_declaration()));
}

base::Status StoredTables::for_each_kernel_iteration(int64_t aggregation_id,
                                                     const UseValues& use) const {
  const StoredDeclaration table = present_part(database_, kernel_iteration_declaration());
  if (table.columns.empty()) return base::Success{};
  return for_each_row(database_, select(table, "read_only_kernel_id"), aggregation_id, use);
}

}  // namespace dlview::import::dlprof
