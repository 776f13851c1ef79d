// A read-only connection to a database of the user's. One connection belongs to one thread; the
// Progress that it was opened with must outlive it, since every statement ends early, with the
// error "Canceled", once that is canceled.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "import/sqlite/readable_file.h"
#include "import/sqlite/statement.h"

struct sqlite3;

namespace dlview::import::sqlite {

// Where the texts of a statement come from. Rows of one table have texts of their own, which
// together are not larger than the file; rows of a join may repeat one.
enum class Texts { of_rows, joined };

class Database {
 public:
  base::Result<Statement> prepare(const std::string& sql, Texts texts = Texts::of_rows) const;

  // Another connection to the same file, for another thread.
  base::Result<Database> connect_again() const;

  // Tables only, no views and none of SQLite's own, in order of name; names are compared as SQL
  // does, without regard to case.
  base::Result<std::vector<std::string>> table_names() const;
  bool has_table(std::string_view table) const;
  bool has_column(std::string_view table, std::string_view column) const;

  const ReadableFile& file() const { return *file_; }
  const base::Progress& progress() const { return *progress_; }
  const std::filesystem::path& path() const { return file_->path(); }

 private:
  friend base::Result<Database> open_read_only(const std::filesystem::path& path,
                                               base::Progress& progress);
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  Database(std::shared_ptr<const ReadableFile> file, base::Progress& progress)
      : file_(std::move(file)), progress_(&progress) {}
  base::Status connect();

  std::shared_ptr<const ReadableFile> file_;  // outlives the connections
  base::Progress* progress_;
  std::unique_ptr<sqlite3, Close> connection_;
};

// Opens the SQLite database at the path, or returns why it is not one.
base::Result<Database> open_read_only(const std::filesystem::path& path, base::Progress& progress);

}  // namespace dlview::import::sqlite
