#include "import/sqlite/database.h"

#include <limits>
#include <utility>

#include <sqlite3.h>

#include "import/errors.h"
#include "import/sqlite/page_cursor.h"

namespace dlview::import::sqlite {
namespace {

// How many steps of SQLite's virtual machine pass between two looks at the cancel button: well
// below a millisecond.
constexpr int kStepsBetweenLooks = 10'000;

// A statement may return texts of up to this many times the file size.
constexpr int64_t kMostReadings = 4;

int is_canceled(void* progress) {
  return static_cast<const base::Progress*>(progress)->canceled() ? 1 : 0;
}

// The file may come from anywhere: no SQL of its schema may do more than describe tables, and none
// of them is virtual.
void distrust_schema(sqlite3* connection) {
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_drop_modules(connection, nullptr);
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, static_cast<int>(kMostRowBytes));
}

// SQLite has no result code of its own for a query that does not fit the schema, only words.
base::Error prepare_error(const std::filesystem::path& path, int code, const std::string& message) {
  const bool is_lacking =
      message.starts_with("no such table") || message.starts_with("no such column");
  if (code != SQLITE_ERROR || !is_lacking) return sqlite_error(path, code, message);
  return {"The database lacks a table or column", quoted(path) + ": " + message,
          "Make the database again with the program that wrote it, or open a copy that nobody has "
          "edited"};
}

}  // namespace

void Database::Close::operator()(sqlite3* connection) const {
  sqlite3_close_v2(connection);
}

base::Result<Statement> Database::prepare(const std::string& sql, Texts texts) const {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(connection_.get(), sql.c_str(),
                                      static_cast<int>(sql.size()) + 1, &statement, nullptr);
  if (code != SQLITE_OK) return prepare_error(path(), code, sqlite3_errmsg(connection_.get()));
  const int64_t most_text_bytes = texts == Texts::joined ? std::numeric_limits<int64_t>::max()
                                                         : kMostReadings * file_->total_bytes();
  return Statement(statement, path(), most_text_bytes, *progress_);
}

base::Result<std::vector<std::string>> Database::table_names() const {
  base::Result<Statement> rows = prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE "
      "'\\' ORDER BY name");
  if (!rows) return std::move(rows).error();
  std::vector<std::string> names;
  while (rows->next()) names.emplace_back(rows->text(0));
  DLVIEW_TRY(rows->status());
  return names;
}

bool Database::has_table(std::string_view table) const {
  base::Result<Statement> rows = prepare(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE LIMIT 1");
  if (!rows) return false;
  rows->bind(1, table);
  return rows->next();
}

bool Database::has_column(std::string_view table, std::string_view column) const {
  base::Result<Statement> rows =
      prepare("SELECT 1 FROM pragma_table_xinfo(?1) WHERE name = ?2 COLLATE NOCASE LIMIT 1");
  if (!rows) return false;
  rows->bind(1, table);
  rows->bind(2, column);
  return rows->next();
}

// The first statement reads the file: recovery, encryption and damage show there.
base::Status Database::connect() {
  // Recovery writes, which the Overlay keeps away from the file.
  const int access = file_->has_companions() ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  sqlite3* connection = nullptr;
  const int code =
      sqlite3_open_v2(file_->uri().c_str(), &connection,
                      access | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, file_->vfs_name());
  connection_.reset(connection);
  if (code != SQLITE_OK) {
    return sqlite_error(path(), code,
                        connection == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(connection));
  }
  distrust_schema(connection);
  if (file_->has_companions()) {
    sqlite3_exec(connection, "PRAGMA locking_mode = EXCLUSIVE", nullptr, nullptr, nullptr);
  }
  sqlite3_progress_handler(connection, kStepsBetweenLooks, is_canceled, progress_);

  const base::Result<std::vector<std::string>> tables = table_names();
  if (!tables) return tables.error();
  return base::Success{};
}

base::Result<Database> Database::connect_again() const {
  Database database(file_, *progress_);
  if (base::Status status = database.connect(); !status) return std::move(status).error();
  return database;
}

base::Result<Database> open_read_only(const std::filesystem::path& path, base::Progress& progress) {
  base::Result<ReadableFile> file = ReadableFile::make(path, progress);
  if (!file) return std::move(file).error();
  Database database(std::make_shared<const ReadableFile>(std::move(*file)), progress);
  if (base::Status status = database.connect(); !status) return std::move(status).error();
  return database;
}

}  // namespace dlview::import::sqlite
