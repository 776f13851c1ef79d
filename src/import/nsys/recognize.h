// Tells whether an SQLite database is an export of Nsight Systems, by its tables.
#pragma once

#include "import/sqlite/database.h"

namespace dlview::import::nsys {

bool recognize(const sqlite::Database& database);

}  // namespace dlview::import::nsys
