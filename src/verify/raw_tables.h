// The raw rows of a profile as plain values, without the numbers that a file gives its rows, so
// that two recordings of one run can be compared.
#pragma once

#include <vector>

#include "base/value_table.h"
#include "profile/profile.h"

namespace dlview::verify {

// Ops, instances, kernels, memory operations, syncs and API calls, named as DLProf's tables.
std::vector<base::ValueTable> raw_tables(const profile::Profile& profile);

}  // namespace dlview::verify
