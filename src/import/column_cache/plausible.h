// Whether a profile that came out of a cache file can be used without harm.
#pragma once

#include "profile/profile.h"

namespace dlview::import::column_cache {

// Columns of one table are equally long, and every row number, text id and offset leads to
// something. Reads all columns of such numbers, on all cores; other values are not looked at.
bool is_plausible(const profile::Profile& profile);

}  // namespace dlview::import::column_cache
