// The schema of DLProf 1.8: all tables, unique indexes and views, by name, column and type as
// DLProf has them. Columns declared STRING have NUMERIC affinity in SQLite, there as here.
#pragma once

#include "generate/sqlite_file.h"

namespace dlview::generate::dlprof {

// SQL; CASCADES after a reference means ON UPDATE CASCADE ON DELETE CASCADE.
extern const char* const kRawTables;
extern const char* const kAggregatedTables;
extern const char* const kRawIndexes;
extern const char* const kAggregatedIndexes;
extern const char* const kFileViews;
extern const char* const kIterationViews;
extern const char* const kModelViews;
extern const char* const kOpViews;

void create_tables(SqliteFile& file);
// After the rows are in: building an index at once is much faster than row by row.
void create_indexes_and_views(SqliteFile& file);

}  // namespace dlview::generate::dlprof
