// Reads DLProf's raw tables by column name, so that databases of any version from 1.3 on can be
// read: a table or column that the numbers need is an Error when missing, any other is left empty
// and remembered as not recorded.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "import/id_map.h"
#include "import/quality_log.h"
#include "import/sqlite/database.h"
#include "import/sqlite/row_ranges.h"
#include "profile/builder.h"

namespace dlview::import::dlprof {

struct ColumnSpec {
  const char* name;
  enum class Kind { integer, text } kind = Kind::integer;
  // The name of what a profile without this column lacks; null: the column is required.
  const char* lacking = nullptr;
};

struct TableSpec {
  const char* name;
  std::span<const ColumnSpec> columns;  // the first is the row's id
  const char* stage;                    // "Reading kernels"
  const char* lacking = nullptr;        // as for a column; none: the table is required
};

// State that a load passes from table to table.
struct Context {
  const sqlite::Database& database;
  base::Progress& progress;
  profile::ProfileBuilder builder;
  QualityLog quality;
  std::set<std::string> lacking;  // from the specs of absent tables and columns
  IdMap<profile::StringId> dictionary;

  // The text of a dictionary id. An id that is not there is noted and yields the empty text; so
  // does, without a note, the NULL of an absent column.
  profile::StringId text(const TableSpec& table, const sqlite::Statement& row, int column);
  profile::StringId text(const TableSpec& table, const sqlite::TableRows& row, int column,
                         QualityLog& notes) const;
};

using UseRow = std::function<void(const sqlite::Statement& row)>;

// Calls `use` for every row in order of id; the columns have the indices of the spec. A row in
// which an integer is missing or something else goes to `skip`, if there is one, and to the quality
// log. Fails when something required is absent, when the file is damaged and on cancel.
base::Status for_each_row(Context& context, const TableSpec& table, const UseRow& use,
                          const UseRow& skip = {});

// As above for a large table, in ranges of rows that are read on all cores: `use` and `skip` are
// called for several ranges at once, for the rows of each in order and on one thread. Notes about
// rows go to the notes of their range, which begin_ranges() allocates.
struct RangedTable {
  const TableSpec& spec;
  sqlite::TableCut cut;  // no ranges where the database lacks the table
  std::vector<sqlite::RowColumn> columns;
  std::vector<QualityLog> notes;
};
using UseRangeRow = std::function<void(const sqlite::TableRows& row, std::size_t range)>;
base::Result<RangedTable> begin_ranges(Context& context, const TableSpec& table);
base::Status read_ranges(Context& context, RangedTable& table, const UseRangeRow& use,
                         const UseRangeRow& skip = {});

}  // namespace dlview::import::dlprof
