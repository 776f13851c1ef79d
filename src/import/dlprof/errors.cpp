#include "import/dlprof/errors.h"

#include "import/errors.h"

namespace dlview::import::dlprof {

base::Error lacks_table(const sqlite::Database& database, const std::string& table) {
  return {"The database lacks a table",
          quoted(database.path()) + " has no table " + table +
              ", which every DLProf from 1.3 to 1.8 writes",
          kRecordAgain};
}

base::Error lacks_column(const sqlite::Database& database, const std::string& table,
                         const std::string& column) {
  return {"The database lacks a column",
          quoted(database.path()) + " has no column " + column + " in its table " + table +
              ", which the numbers need",
          kRecordAgain};
}

}  // namespace dlview::import::dlprof
