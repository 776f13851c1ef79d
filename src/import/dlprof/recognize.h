// Tells whether an SQLite database is one of DLProf's, and whether this program can read its
// version.
#pragma once

#include <string>

#include "base/result.h"
#include "import/sqlite/database.h"

namespace dlview::import::dlprof {

// By its tables; a database that lacks one of the tables which DLProf always writes still counts,
// so that the loader can name what is missing.
bool recognize(const sqlite::Database& database);

// Texts of db_version, as stored: "1.8.0".
struct Versions {
  std::string current, original;
};

// An Error unless DLProf 1.3 or later made the database and none after 1.8 changed it.
base::Result<Versions> read_versions(const sqlite::Database& database);

}  // namespace dlview::import::dlprof
