// A sound database whose values, rows and tables are changed as the input says: it opens or an
// Error says why not, what opens is plausible, the CPU engine agrees with the reference, and every
// table can be written.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sqlite3.h>

#include "aggregate/aggregator.h"
#include "aggregate/difference.h"
#include "aggregate/iterations.h"
#include "aggregate/reference/reference.h"
#include "fuzz/fuzz.h"
#include "fuzz/seed_profiles.h"
#include "import/column_cache/plausible.h"
#include "import/open.h"
#include "report/cell_text.h"
#include "report/dlprof/reports.h"
#include "report/views/views.h"

namespace dlview::fuzz {
namespace {

constexpr std::size_t kMostEdits = 16, kMostRows = 64;

constexpr std::array<int64_t, 12> kIntegers{0,
                                            1,
                                            -1,
                                            2,
                                            255,
                                            INT32_MAX,
                                            int64_t{UINT32_MAX},
                                            int64_t{1} << 53,
                                            INT64_MAX,
                                            INT64_MAX - 1,
                                            INT64_MIN,
                                            INT64_MIN + 1};
constexpr std::array<std::string_view, 14> kTexts{
    "",
    "0",
    "9999999999999999999",
    "1e300",
    "[[1,2],[3",
    "[[-1,9223372036854775807]]\n",
    "null\n",
    "\xff\xfe",
    "\x1b]0;x\x07",
    "{'mod': 'torch', 'op': 'linear', 'args': [",
    "{'mod': 'a', 'op': 'conv2d', 'args': [{'type': 'tensor', 'shape': (1, 3, 9, 9)}, {'type': "
    "'tensor', 'shape': (4, 3, 3, 3)}]}",
    "aten::mm, seq = 9, op_id = 12, sizes = [[2, 3], [3, 4]]",
    "step 1",
    "a/b//c/"};

struct Column {
  std::string table, name;
  bool is_key;
};

class EditedDatabase {
 public:
  explicit EditedDatabase(const std::filesystem::path& path) {
    require(sqlite3_open(path.c_str(), &database_) == SQLITE_OK, "a seed cannot be opened");
    execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE");
    read_columns();
    execute("BEGIN");
  }
  ~EditedDatabase() {
    execute("COMMIT");
    sqlite3_close(database_);
  }
  EditedDatabase(const EditedDatabase&) = delete;
  EditedDatabase& operator=(const EditedDatabase&) = delete;

  void edit(Input& input);

 private:
  // What SQLite refuses (a key twice, say) is no edit.
  void execute(const std::string& sql) {
    sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr);
  }
  void read_columns();
  std::string rows(Input& input);
  void set_value(const Column& column, Input& input);
  void add_copies(const std::string& table, const std::string& rows);

  sqlite3* database_ = nullptr;
  std::vector<Column> columns_;
};

void EditedDatabase::read_columns() {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(
      database_,
      "SELECT s.name, c.name, c.pk FROM sqlite_schema s, pragma_table_info(s.name) c "
      "WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite%' ORDER BY s.name, c.cid",
      -1, &statement, nullptr);
  const auto text = [&](int column) {
    return std::string(reinterpret_cast<const char*>(sqlite3_column_text(statement, column)));
  };
  while (sqlite3_step(statement) == SQLITE_ROW) {
    columns_.push_back({text(0), text(1), sqlite3_column_int(statement, 2) != 0});
  }
  sqlite3_finalize(statement);
}

// The condition that chooses them.
std::string EditedDatabase::rows(Input& input) {
  const std::size_t kind = input.below(4), number = input.byte();
  if (kind == 0) return "1";
  if (kind == 1) return fmt::format("rowid % {} = 1", number % 16 + 2);
  return fmt::format("rowid = {}", number);
}

void EditedDatabase::set_value(const Column& column, Input& input) {
  const std::string where = rows(input), own = fmt::format("\"{}\"", column.name);
  const std::size_t kind = input.below(9);
  std::string value = "?1";
  if (kind == 0) value = own + " + ?1";
  if (kind == 1) value = own + " - ?1";
  if (kind == 2) {
    value = fmt::format("(SELECT {0} FROM \"{1}\" WHERE rowid = ?1)", own, column.table);
  }
  sqlite3_stmt* statement = nullptr;
  const std::string sql =
      fmt::format("UPDATE \"{}\" SET {} = {} WHERE {}", column.table, own, value, where);
  if (sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return;
  const auto bind_text = [&](std::string_view text) {
    sqlite3_bind_text(statement, 1, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  };
  switch (kind) {
    case 0:
    case 1:
    case 2:
      sqlite3_bind_int64(statement, 1, input.byte());
      break;
    case 3:
      sqlite3_bind_int64(statement, 1, input.number());
      break;
    case 4:
      sqlite3_bind_int64(statement, 1, kIntegers[input.below(kIntegers.size())]);
      break;
    case 5:
      bind_text(input.text());
      break;
    case 6:
      bind_text(kTexts[input.below(kTexts.size())]);
      break;
    case 7:
      sqlite3_bind_double(statement, 1, static_cast<double>(input.number()) / 7);
      break;
    default:
      break;  // NULL
  }
  sqlite3_step(statement);
  sqlite3_finalize(statement);
}

// Under keys of their own.
void EditedDatabase::add_copies(const std::string& table, const std::string& rows) {
  std::string names, values;
  for (const Column& column : columns_) {
    if (column.table != table || column.is_key) continue;
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", column.name);
  }
  execute(fmt::format("INSERT INTO \"{0}\" ({1}) SELECT {1} FROM \"{0}\" WHERE {2} LIMIT {3}",
                      table, names, rows, kMostRows));
}

void EditedDatabase::edit(Input& input) {
  const std::size_t kind = input.below(16);
  const std::size_t place = input.byte() << 8U | input.byte();
  const Column& column = columns_[place % columns_.size()];
  if (kind == 0) {
    execute(fmt::format("DROP TABLE \"{}\"", column.table));
  } else if (kind == 1) {
    execute(fmt::format("DELETE FROM \"{}\" WHERE {}", column.table, rows(input)));
  } else if (kind == 2) {
    add_copies(column.table, rows(input));
  } else if (kind == 3) {
    execute(fmt::format("ALTER TABLE \"{}\" RENAME COLUMN \"{}\" TO renamed", column.table,
                        column.name));
  } else {
    set_value(column, input);
  }
}

std::string text_of(const report::Table& table) {
  std::string text;
  for (std::size_t row = 0; row < std::min(table.row_count, kMostRows); ++row) {
    for (const report::Column& column : table.columns) {
      report::append_full_text(text, column.cell(row));
    }
  }
  return text;
}

void write_tables(const profile::Profile& profile, const aggregate::Aggregation& aggregation) {
  for (const report::ViewInfo& view : report::views()) {
    const base::Result<report::Table> table = report::make_view(view.name, profile, aggregation);
    if (table) text_of(*table);
  }
  for (const report::dlprof::ReportInfo& info : report::dlprof::kReports) {
    text_of(report::dlprof::make_report(info.report, profile, aggregation));
  }
}

std::string to_text(const aggregate::Stats& stats) {
  return fmt::format("{} {} {} {}", stats.count, stats.sum, stats.min, stats.max);
}

std::string to_text(const aggregate::OpAggregate& op) {
  std::string text = fmt::format("op {}:", op.op);
  for (const aggregate::Stats* stats :
       {&op.times.cpu, &op.times.gpu, &op.times.api, &op.times.overhead, &op.times.idle,
        &op.kernel_api, &op.kernel_gpu}) {
    text += fmt::format(" ({})", to_text(*stats));
  }
  return text;
}

// What differs, and the first op that does.
std::string difference(const aggregate::Aggregation& answer,
                       const aggregate::Aggregation& reference) {
  std::string text = aggregate::first_difference(answer, reference);
  const auto [op, expected] = std::ranges::mismatch(answer.ops, reference.ops);
  if (op != answer.ops.end()) text += "\n" + to_text(*op);
  if (expected != reference.ops.end()) text += "\nreference: " + to_text(*expected);
  return text;
}

void check(profile::Profile opened) {
  require(import::column_cache::is_plausible(opened), "an opened profile is not plausible");
  const auto profile = std::make_shared<const profile::Profile>(std::move(opened));
  const aggregate::KeyRanking ranking(*profile);
  const aggregate::Selection selection = aggregate::default_selection(ranking);
  const aggregate::Aggregation answer =
      aggregate::make_cpu_aggregator(profile)->aggregate(selection);
  const aggregate::Aggregation reference =
      aggregate::make_reference_aggregator(profile)->aggregate(selection);
  require(answer == reference, "CPU engine and reference differ", difference(answer, reference));
  write_tables(*profile, answer);
}

}  // namespace
}  // namespace dlview::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace dlview;
  static const std::filesystem::path path = fuzz::folder() / "profile.sqlite";
  fuzz::use_one_thread();
  fuzz::Input input(data, size);
  const auto& seeds = fuzz::seed_databases();
  fuzz::write(path, seeds[input.below(seeds.size())].bytes);
  {
    fuzz::EditedDatabase database(path);
    for (std::size_t i = 0; i < fuzz::kMostEdits && !input.is_empty(); ++i) database.edit(input);
  }
  base::Progress progress;
  base::Result<profile::Profile> profile = import::open_profile(path, progress);
  if (profile) {
    fuzz::check(std::move(*profile));
  } else {
    const base::Error& error = profile.error();
    fuzz::require(!error.title.empty() && !error.advice.empty(), "an Error gives no advice",
                  base::to_text(error));
  }
  return 0;
}
