// Errors of a DLProf database that is a valid SQLite file.
#pragma once

#include <string>

#include "base/result.h"
#include "import/sqlite/database.h"

namespace dlview::import::dlprof {

inline constexpr const char* kRecordAgain =
    "Record the run again with DLProf 1.8, or let it make a new database from the run's Nsight "
    "Systems export: \"dlprof --mode=MODE --database=EXPORT.sqlite\"";

base::Error lacks_table(const sqlite::Database& database, const std::string& table);
base::Error lacks_column(const sqlite::Database& database, const std::string& table,
                         const std::string& column);

}  // namespace dlview::import::dlprof
