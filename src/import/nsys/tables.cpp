#include "import/nsys/tables.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "import/times.h"

namespace dlview::import::nsys {
namespace {

constexpr int64_t kRowsBetweenReports = 4096;

bool has_column(const sqlite::Database& database, const char* table, std::string_view column) {
  return column == kRowId || database.has_column(table, column);
}

// Column names are quoted because "end" is a word of SQL.
std::string select_present(const sqlite::Database& database, const char* table,
                           std::span<const char* const> columns) {
  std::string sql;
  for (const char* column : columns) {
    sql += sql.empty() ? "SELECT " : ", ";
    sql += has_column(database, table, column) ? fmt::format("\"{}\"", column) : "NULL";
  }
  return sql + " FROM " + table;
}

// Rows are numbered from 1 on, so the largest number tells how many there are without a scan. The
// size of the file bounds what a stray number can claim.
std::size_t expected_rows(const sqlite::Database& database, const char* table) {
  constexpr int64_t kLeastBytesOfRow = 8;
  base::Result<sqlite::Statement> rows =
      database.prepare(fmt::format("SELECT max(rowid) FROM {}", table));
  const int64_t largest = rows && rows->next() ? rows->integer(0) : 0;
  return static_cast<std::size_t>(
      std::clamp<int64_t>(largest, 0, database.file().bytes() / kLeastBytesOfRow));
}

const char* time_problem(const sqlite::Statement& row, int64_t origin_ns, bool may_be_open) {
  if (!row.is_integer(0)) return "its start is not an integer";
  const bool is_open = row.is_null(1) && may_be_open;
  if (!row.is_integer(1) && !is_open) return "its end is not an integer";
  const int64_t start_ns = row.integer(0);
  const int64_t end_ns = is_open ? start_ns : row.integer(1);
  if (end_ns < start_ns) return "it ends before it starts";
  const bool is_far = start_ns < origin_ns - kLatestNs || end_ns > origin_ns + kLatestNs;
  return is_far ? "it is more than 104 days away from the start of the session" : nullptr;
}

template <typename T>
void append(std::vector<T>& values, const sqlite::Statement& row, int column) {
  constexpr T kNull = sizeof(T) == sizeof(int64_t) ? static_cast<T>(profile::kNoValue) : T{-1};
  using Limits = std::numeric_limits<T>;
  const int64_t value = row.integer(column);
  values.push_back(value == 0 && row.is_null(column)
                       ? kNull
                       : static_cast<T>(std::clamp<int64_t>(value, Limits::min(), Limits::max())));
}

// Appends what one row holds in one column.
struct Append {
  Context& context;
  const char* table;
  const sqlite::Statement& row;
  int64_t number;
  int column;
  const char* name;

  template <typename T>
  void operator()(std::vector<T>* values) const {
    append(*values, row, column);
  }

  void operator()(const StringIdsColumn& ids) const {
    if (row.is_null(column)) return ids.values->push_back(profile::kNoText);
    const int64_t id = row.integer(column);
    const std::optional<profile::StringId> text = context.texts.find(id);
    ids.values->push_back(text.value_or(profile::kNoText));
    if (text) return;
    context.quality.add(table, "a text is not in StringIds; the row is used without", number,
                        [&] { return fmt::format("{} {} does not exist", name, id); });
  }

  void operator()(const TextColumn& texts) const {
    texts.values->push_back(row.is_null(column)
                                ? profile::kNoText
                                : context.texts.intern(table, number, row.text(column)));
  }
};

struct Reserve {
  std::size_t rows;
  template <typename T>
  void operator()(std::vector<T>* values) const {
    values->reserve(rows);
  }
  void operator()(const StringIdsColumn& ids) const { ids.values->reserve(rows); }
  void operator()(const TextColumn& texts) const { texts.values->reserve(rows); }
};

}  // namespace

base::Status for_each_row(Context& context, const char* table, std::span<const char* const> columns,
                          const UseRow& use) {
  if (!context.database.has_table(table)) return base::Success{};
  base::Result<sqlite::Statement> rows =
      context.database.prepare(select_present(context.database, table, columns));
  if (!rows) return std::move(rows).error();
  for (int64_t number = 1; rows->next(); ++number) {
    if (number % kRowsBetweenReports == 0) context.progress.set_done(number);
    use(*rows, number);
  }
  return rows->status();
}

base::Status read_events(Context& context, const EventTable& table, std::vector<int64_t>& start_ns,
                         std::vector<int64_t>& end_ns, std::span<const ColumnSpec> columns) {
  if (!context.database.has_table(table.name)) return base::Success{};
  const std::size_t expected = expected_rows(context.database, table.name);
  context.progress.begin_stage(table.stage, static_cast<int64_t>(expected));

  std::vector<const char*> names{"start", "end"};
  std::vector<ColumnSpec> present;
  start_ns.reserve(expected);
  end_ns.reserve(expected);
  for (const ColumnSpec& column : columns) {
    if (!has_column(context.database, table.name, column.name)) continue;
    names.push_back(column.name);
    present.push_back(column);
    std::visit(Reserve{expected}, column.values);
  }
  const auto use = [&](const sqlite::Statement& row, int64_t number) {
    if (const char* problem = time_problem(row, context.origin_ns, table.may_be_open)) {
      context.quality.add(table.name, problem, number, [&] {
        return fmt::format("start is {}, end is {}", row.text(0), row.text(1));
      });
      return;
    }
    start_ns.push_back(row.integer(0) - context.origin_ns);
    end_ns.push_back(row.is_null(1) ? profile::kNoValue : row.integer(1) - context.origin_ns);
    int index = 2;
    for (const ColumnSpec& column : present) {
      std::visit(Append{context, table.name, row, number, index++, column.name}, column.values);
    }
  };
  if (base::Status status = for_each_row(context, table.name, names, use); !status) return status;
  return context.texts.status();
}

}  // namespace dlview::import::nsys
