// A new SQLite database in an empty or absent file, written from first to last row in one go. The
// first error, or a cancel, is stored: every later call does nothing, and finish() returns the
// error. So callers write rows without a check after each one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include <sqlite3.h>

#include "base/progress.h"
#include "base/result.h"

namespace dlview::generate {

// Bytes that are stored as they are; they must live until the row is written.
struct Blob {
  std::string_view bytes;
};

class SqliteFile {
 public:
  // `progress` counts rows and may cancel; it must outlive the file.
  SqliteFile(const std::filesystem::path& path, base::Progress& progress);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  bool ok() const { return !error_; }
  void execute(const std::string& sql);

  // Commits and closes.
  base::Status finish();

 private:
  friend class Insert;
  void fail_with_message_of_sqlite();
  void count_row();

  base::Progress& progress_;
  sqlite3* database_ = nullptr;
  std::optional<base::Error> error_;
  int64_t rows_since_report_ = 0;
};

// A prepared INSERT: one call for each row, one argument for each column. Reals are stored with the
// six decimals that DLProf stores.
class Insert {
 public:
  Insert(SqliteFile& file, std::string_view table, int columns);
  ~Insert();
  Insert(const Insert&) = delete;
  Insert& operator=(const Insert&) = delete;

  template <typename... Values>
  void operator()(const Values&... values) {
    if (!file_.ok()) return;
    int column = 0;
    (bind(++column, values), ...);
    step();
  }

  // As above for columns that are known only at run time.
  using Value = std::variant<std::nullptr_t, int64_t, std::string_view, Blob>;
  void row(std::span<const Value> values);

 private:
  template <typename T>
  requires std::is_integral_v<T>
  void bind(int column, T value) {
    sqlite3_bind_int64(statement_, column, static_cast<sqlite3_int64>(value));
  }
  void bind(int column, double value);
  void bind(int column, std::nullptr_t);
  // The text must live until the row is written.
  void bind(int column, std::string_view text);
  void bind(int column, Blob blob);
  void step();

  SqliteFile& file_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace dlview::generate
