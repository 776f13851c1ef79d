// Reads and writes of the host, from the OS runtime calls of an export (spec.md 9).
#pragma once

#include <string_view>

#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// Whether an OS runtime call of that name reads, writes or flushes: "pread64", "fwrite", "fsync".
bool reads_or_writes(std::string_view os_call);

// Whether OS runtime calls were recorded, so that no such call means that there was none.
bool tells_io(const profile::Profile& profile);

// Returns when a launching thread (launching_threads) reads or writes; empty if not recorded.
base::IntervalSet io_intervals(const profile::Profile& profile);

}  // namespace dlview::aggregate
