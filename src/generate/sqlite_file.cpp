#include "generate/sqlite_file.h"

#include <charconv>

#include <fmt/format.h>

#include "generate/canceled.h"

namespace dlview::generate {
namespace {

constexpr int64_t kRowsPerReport = 1024;

// No journal: a file that is not finished is thrown away.
constexpr const char* kWriteOnce =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
    "PRAGMA cache_size = -131072; PRAGMA temp_store = MEMORY; BEGIN";

double with_six_decimals(double value) {
  const std::string text = fmt::format("{:.6f}", value);
  double rounded = 0;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

}  // namespace

SqliteFile::SqliteFile(const std::filesystem::path& path, base::Progress& progress)
    : progress_(progress) {
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path.c_str(), &database_, flags, nullptr) != SQLITE_OK) {
    fail_with_message_of_sqlite();
  }
  execute(kWriteOnce);
}

SqliteFile::~SqliteFile() {
  sqlite3_close(database_);
}

void SqliteFile::execute(const std::string& sql) {
  if (!ok()) return;
  if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail_with_message_of_sqlite();
  }
}

base::Status SqliteFile::finish() {
  execute("COMMIT");
  if (ok() && sqlite3_close(database_) != SQLITE_OK) fail_with_message_of_sqlite();
  if (!ok()) return *error_;
  database_ = nullptr;
  return base::Success{};
}

void SqliteFile::fail_with_message_of_sqlite() {
  if (error_) return;
  error_ = base::Error{"The database cannot be written",
                       fmt::format("SQLite says: {}", sqlite3_errmsg(database_)),
                       "Check that the folder exists and is writable, and that the disk has space"};
}

void SqliteFile::count_row() {
  if (++rows_since_report_ < kRowsPerReport) return;
  progress_.add_done(rows_since_report_);
  rows_since_report_ = 0;
  if (progress_.canceled()) error_ = canceled();
}

Insert::Insert(SqliteFile& file, std::string_view table, int columns) : file_(file) {
  if (!file_.ok()) return;
  std::string sql = fmt::format("INSERT INTO {} VALUES (?", table);
  for (int i = 1; i < columns; ++i) sql += ", ?";
  sql += ")";
  if (sqlite3_prepare_v2(file_.database_, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK) {
    file_.fail_with_message_of_sqlite();
  }
}

Insert::~Insert() {
  sqlite3_finalize(statement_);
}

void Insert::row(std::span<const Value> values) {
  if (!file_.ok()) return;
  int column = 0;
  for (const Value& value : values) {
    ++column;
    std::visit([&](const auto& held) { bind(column, held); }, value);
  }
  step();
}

void Insert::bind(int column, std::nullptr_t) {
  sqlite3_bind_null(statement_, column);
}

void Insert::bind(int column, double value) {
  sqlite3_bind_double(statement_, column, with_six_decimals(value));
}

void Insert::bind(int column, std::string_view text) {
  // A view of nothing has no address, which SQLite would take for NULL.
  const char* data = text.empty() ? "" : text.data();
  sqlite3_bind_text(statement_, column, data, static_cast<int>(text.size()), SQLITE_STATIC);
}

void Insert::bind(int column, Blob blob) {
  sqlite3_bind_blob(statement_, column, blob.bytes.data(), static_cast<int>(blob.bytes.size()),
                    SQLITE_STATIC);
}

void Insert::step() {
  if (sqlite3_step(statement_) != SQLITE_DONE) file_.fail_with_message_of_sqlite();
  sqlite3_reset(statement_);
  file_.count_row();
}

}  // namespace dlview::generate
