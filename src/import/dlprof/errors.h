// What can be wrong with a DLProf database that is a sound SQLite file.
#pragma once

#include <string>

#include "base/result.h"
#include "import/sqlite/database.h"

namespace dlview::import::dlprof {

inline constexpr const char* kRecordAgain =
    "Record the run again with DLProf 1.8, or let it make a new database from the run's Nsight "
    "Systems export: \"dlprof --mode=MODE --database=EXPORT.sqlite\".";

inline base::Error lacks_table(const sqlite::Database& database, const std::string& table) {
  return {"The database lacks a table",
          "\"" + database.path().string() + "\" has no table " + table +
              ", which every DLProf from 1.3 to 1.8 writes.",
          kRecordAgain};
}

inline base::Error lacks_column(const sqlite::Database& database, const std::string& table,
                                const std::string& column) {
  return {"The database lacks a column",
          "\"" + database.path().string() + "\" has no column " + column + " in its table " +
              table + ", which the numbers need.",
          kRecordAgain};
}

}  // namespace dlview::import::dlprof
