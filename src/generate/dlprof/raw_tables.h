// DLProf's raw tables (read_only_*, db_version, gpu_memories) from the columns of a profile.
#pragma once

#include "generate/dlprof/dictionary.h"
#include "generate/dlprof/row_order.h"
#include "generate/sqlite_file.h"

namespace dlview::generate::dlprof {

// The one row of read_only_domains.
inline constexpr int64_t kDomainId = 1;

void write_raw_tables(const profile::Profile& profile, const RowOrder& order,
                      Dictionary& dictionary, SqliteFile& file);

// read_only_gpu_infos.id of each device, by row of the device.
std::vector<int64_t> gpu_info_ids(const profile::Profile& profile);

}  // namespace dlview::generate::dlprof
