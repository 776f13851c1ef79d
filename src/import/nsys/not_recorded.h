// What an export does not have, each with the option of `nsys profile` that records it.
#pragma once

#include <vector>

#include "import/sqlite/database.h"
#include "profile/profile.h"

namespace dlview::import::nsys {

// `trace` holds CUDA work or NVTX ranges; `profile` has the ops that came of them.
std::vector<profile::NotRecorded> list_not_recorded(const sqlite::Database& database,
                                                    const profile::Trace& trace,
                                                    const profile::Profile& profile);

// There is neither CUDA nor NVTX in `trace`: nothing that a view could show.
base::Error no_events(const sqlite::Database& database, const profile::Trace& trace);

bool has_cuda(const profile::Trace& trace);

}  // namespace dlview::import::nsys
