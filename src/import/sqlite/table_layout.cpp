#include "import/sqlite/table_layout.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <strings.h>

namespace dlview::import::sqlite {
namespace {

struct StoredColumn {
  std::string name, type;
  bool is_plain = true;  // not generated
};

bool are_same(const std::string& a, const std::string& b) {
  return strcasecmp(a.c_str(), b.c_str()) == 0;
}

// SQLite returns whole numbers in such a column as reals: "Determination Of Column Affinity" in
// https://www.sqlite.org/datatype3.html
bool is_real(const std::string& type) {
  const auto has = [&type](const char* part) { return strcasestr(type.c_str(), part) != nullptr; };
  return !has("INT") && !has("CHAR") && !has("CLOB") && !has("TEXT") && !has("BLOB") &&
         (has("REAL") || has("FLOA") || has("DOUB"));
}

std::vector<StoredColumn> stored_columns(const Database& database, const std::string& table) {
  std::vector<StoredColumn> columns;
  base::Result<Statement> rows =
      database.prepare("SELECT name, type, hidden FROM pragma_table_xinfo(?1) ORDER BY cid");
  if (!rows) return columns;
  rows->bind(1, table);
  while (rows->next()) {
    columns.push_back(
        {std::string(rows->text(0)), std::string(rows->text(1)), rows->integer(2) == 0});
  }
  return columns;
}

std::optional<uint32_t> root_page(const Database& database, const std::string& table) {
  base::Result<Statement> rows = database.prepare(
      "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE");
  if (!rows) return std::nullopt;
  rows->bind(1, table);
  if (!rows->next()) return std::nullopt;
  const int64_t page = rows->integer(0);
  if (page < 1 || page > std::numeric_limits<uint32_t>::max()) return std::nullopt;
  return static_cast<uint32_t>(page);
}

}  // namespace

std::optional<TableLayout> find_layout(const Database& database, const std::string& table,
                                       const std::vector<RowColumn>& columns) {
  const std::optional<uint32_t> root = root_page(database, table);
  const std::vector<StoredColumn> stored = stored_columns(database, table);
  // Named by the column that is declared to be the rowid, which its record holds as NULL.
  const base::Result<Statement> by_rowid = database.prepare("SELECT rowid FROM " + table);
  if (!root || !by_rowid || !std::ranges::all_of(stored, &StoredColumn::is_plain)) {
    return std::nullopt;
  }
  const std::string rowid(by_rowid->column_name(0));
  TableLayout layout{*root, {}};
  for (const RowColumn& column : columns) {
    if (column.name.empty()) {
      layout.places.push_back(TableLayout::kIsNull);
    } else if (are_same(column.name, kRowId) || are_same(column.name, rowid)) {
      layout.places.push_back(TableLayout::kIsRowId);
    } else {
      const auto found = std::ranges::find_if(
          stored, [&](const StoredColumn& each) { return are_same(each.name, column.name); });
      if (found == stored.end() || is_real(found->type)) return std::nullopt;
      layout.places.push_back(static_cast<int>(found - stored.begin()));
    }
  }
  return layout;
}

}  // namespace dlview::import::sqlite
