// A prepared SELECT, stepped row by row. Columns are addressed by index, from 0; what they hold is
// read as SQLite converts it, so check is_integer() where a wrong type must not pass as 0.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/progress.h"
#include "base/result.h"
#include "base/value_table.h"

struct sqlite3_stmt;

namespace dlview::import::sqlite {

class Statement {
 public:
  // Parameters are counted from 1, as in SQL ("?1").
  void bind(int parameter, int64_t value);
  void bind(int parameter, std::string_view text);

  // Before the first row again, for other parameters.
  void restart();

  // Moves to the next row. Returns false after the last row and on an error; status() then returns
  // it. Errors include a canceled job and texts that exceed `most_text_bytes`, as when rows of a
  // damaged file share pages.
  bool next();
  base::Status status() const;

  bool is_null(int column) const;
  bool is_integer(int column) const;
  int64_t integer(int column) const;
  // The three values from one access to the cell, for tables of millions of rows.
  struct Cell {
    int64_t integer = 0;  // as SQLite converts it; 0 for NULL
    bool is_null = false, is_integer = false;
  };
  Cell cell(int column) const;
  double real(int column) const;
  // Valid until the next call of next(). Columns that DLProf declares STRING may hold numbers; this
  // is their text.
  std::string_view text(int column) const;
  base::Value value(int column) const;
  int column_count() const;
  std::string_view column_name(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  // `most_text_bytes`: of all texts that are read.
  Statement(sqlite3_stmt* statement, std::filesystem::path path, int64_t most_text_bytes,
            const base::Progress& progress);

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::filesystem::path path_;  // for messages
  int64_t most_text_bytes_;
  mutable int64_t text_bytes_ = 0;  // read so far
  const base::Progress* progress_;
  int result_code_ = 0;
};

}  // namespace dlview::import::sqlite
