#include "import/sqlite/row_ranges.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>
#include <strings.h>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"

namespace dlview::import::sqlite {
namespace {

// Below, a connection of its own costs more than it brings.
constexpr uint64_t kFewestRows = uint64_t{1} << 16;
// So many that no thread waits long for the last one.
constexpr uint64_t kRangesPerThread = 16;
constexpr uint64_t kLeastBytesOfRow = 8;

std::size_t thread_count() {
  return std::max(1U, std::thread::hardware_concurrency());
}

bool is_rowid(const Database& database, const std::string& table, const std::string& column) {
  const base::Result<Statement> rows = database.prepare("SELECT rowid FROM " + table);
  if (!rows) return false;
  if (column == kRowId) return !database.has_column(table, column);
  // SQLite names the rowid by the column that is declared to be it.
  return strcasecmp(std::string(rows->column_name(0)).c_str(), column.c_str()) == 0;
}

base::Result<std::optional<int64_t>> first_value(const Database& database, const std::string& sql) {
  base::Result<Statement> rows = database.prepare(sql);
  if (!rows) return std::move(rows).error();
  std::optional<int64_t> value;
  if (rows->next() && !rows->is_null(0)) value = rows->integer(0);
  if (base::Status status = rows->status(); !status) return std::move(status).error();
  return value;
}

// Empty when rowids lie too far from each other for the size of the file.
std::vector<RowRange> cut_evenly(const Database& database, int64_t first, int64_t last) {
  const uint64_t rows = static_cast<uint64_t>(last) - static_cast<uint64_t>(first) + 1;
  const uint64_t most = static_cast<uint64_t>(database.file().bytes()) / kLeastBytesOfRow;
  std::vector<RowRange> ranges;
  if (rows == 0 || rows > most) return ranges;
  const uint64_t each = std::max(kFewestRows, rows / (thread_count() * kRangesPerThread) + 1);
  for (uint64_t offset = 0; offset < rows; offset += each) {
    const uint64_t room = std::min(each, rows - offset);
    const int64_t begin = first + static_cast<int64_t>(offset);
    ranges.push_back({begin, begin + static_cast<int64_t>(room - 1), offset, room});
  }
  // In a damaged tree rows may lie beyond what seem to be the first and the last one.
  ranges.front().first = std::numeric_limits<int64_t>::min();
  ranges.back().last = std::numeric_limits<int64_t>::max();
  return ranges;
}

// Names are quoted because "end" is a word of SQL.
std::string select(const TableCut& cut, const std::vector<RowColumn>& columns) {
  std::string list;
  for (const RowColumn& column : columns) {
    list += list.empty() ? "" : ", ";
    list += column.name.empty() ? "NULL" : fmt::format("\"{}\"", column.name);
  }
  const char* range = cut.is_by_rowid ? " WHERE rowid BETWEEN ?1 AND ?2" : "";
  const bool has_order = cut.is_by_rowid || cut.order != kRowId;
  return "SELECT " + list + " FROM " + cut.table + range +
         (has_order ? " ORDER BY " + cut.order : "");
}

// Reads ranges, on each thread the next one that nobody has begun.
class Readers {
 public:
  Readers(const Database& database, const TableCut& cut, const std::vector<RowColumn>& columns,
          const ReadRange& read)
      : database_(database),
        cut_(cut),
        columns_(columns),
        sql_(select(cut, columns)),
        read_(read),
        results_(cut.ranges.size(), base::Success{}) {
    if (!cut.is_by_rowid) return;
    file_ = PageFile::open(database.file());
    if (file_) layout_ = find_layout(database, cut.table, columns);
  }

  void read_here() {
    for (std::size_t range = 0; range < results_.size(); ++range) {
      take(range, [this]() -> base::Result<Statement> { return database_.prepare(sql_); });
    }
  }

  void read_in_parallel() {
    base::parallel_for(std::min(thread_count(), results_.size()), 1,
                       [this](std::size_t, std::size_t) { work(); });
  }

  base::Status result() const {
    const auto failed = std::ranges::find_if(results_, [](const auto& each) { return !each; });
    return failed == results_.end() ? base::Status(base::Success{}) : *failed;
  }

 private:
  void work() {
    std::optional<base::Result<Database>> connection;  // of this thread, once it is needed
    const auto prepare = [&]() -> base::Result<Statement> {
      if (!connection) connection.emplace(database_.connect_again());
      if (!*connection) return connection->error();
      return (*connection)->prepare(sql_);
    };
    for (std::size_t range = next_++; range < results_.size(); range = next_++) {
      take(range, prepare);
    }
  }

  template <typename Prepare>
  void take(std::size_t range, const Prepare& prepare) {
    if (has_failed_) return;
    const int64_t last = cut_.ranges[range].last;
    const auto ask_from = [&](int64_t first) -> base::Result<Statement> {
      base::Result<Statement> rows = prepare();
      if (rows && cut_.is_by_rowid) {
        rows->bind(1, first);
        rows->bind(2, last);
      }
      return rows;
    };
    const std::optional<TableRows::Pages> pages =
        layout_ ? std::optional<TableRows::Pages>({*file_, *layout_, columns_, last})
                : std::nullopt;
    TableRows rows(database_, cut_.ranges[range].first, pages ? &*pages : nullptr, ask_from);
    if (base::Status status = read_(rows, range); !status) {
      results_[range] = std::move(status);
      has_failed_ = true;
    }
  }

  const Database& database_;
  const TableCut& cut_;
  const std::vector<RowColumn>& columns_;
  const std::string sql_;
  const ReadRange& read_;
  std::optional<PageFile> file_;
  std::optional<TableLayout> layout_;
  std::vector<base::Status> results_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> has_failed_{false};
};

}  // namespace

base::Result<TableCut> cut_table(const Database& database, const std::string& table,
                                 const std::string& order) {
  TableCut cut{table, order, {}, is_rowid(database, table, order)};
  // Nobody but the page reader sees whether a tree is sound; where it cannot read, a scan of the
  // whole table misses no row.
  cut.is_by_rowid = cut.is_by_rowid && PageFile::open(database.file()).has_value();
  if (cut.is_by_rowid) {
    const auto first = first_value(database, "SELECT min(rowid) FROM " + table);
    if (!first) return first.error();
    const auto last = first_value(database, "SELECT max(rowid) FROM " + table);
    if (!last) return last.error();
    if (!*first || !*last) return cut;
    cut.ranges = cut_evenly(database, **first, **last);
    if (!cut.ranges.empty()) return cut;
    cut.is_by_rowid = false;
  }
  const auto rows = first_value(database, "SELECT count(*) FROM " + table);
  if (!rows) return rows.error();
  cut.ranges = {{.room = static_cast<std::size_t>(rows->value_or(0))}};
  return cut;
}

base::Status read_ranges(const Database& database, const TableCut& cut,
                         const std::vector<RowColumn>& columns, const ReadRange& read) {
  Readers readers(database, cut, columns, read);
  if (cut.ranges.size() == 1) {
    readers.read_here();
  } else {
    readers.read_in_parallel();
  }
  return readers.result();
}

}  // namespace dlview::import::sqlite
