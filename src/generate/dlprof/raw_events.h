// The event tables of a DLProf database and the order in which texts enter its dictionary.
#pragma once

#include "generate/dlprof/dictionary.h"
#include "generate/dlprof/row_order.h"
#include "generate/sqlite_file.h"

namespace dlview::generate::dlprof {

// DLProf's order: op by op the texts of the op, of its instances, and of its events by name.
void fill_dictionary(const profile::Profile& profile, const RowOrder& order,
                     Dictionary& dictionary);

void write_kernels(const profile::Profile& profile, const RowOrder& order, Dictionary& dictionary,
                   SqliteFile& file);
void write_memory_ops(const profile::Profile& profile, const RowOrder& order,
                      Dictionary& dictionary, SqliteFile& file);
void write_syncs(const profile::Profile& profile, const RowOrder& order, Dictionary& dictionary,
                 SqliteFile& file);
void write_api_calls(const profile::Profile& profile, const RowOrder& order, Dictionary& dictionary,
                     SqliteFile& file);

}  // namespace dlview::generate::dlprof
