// What a DLProf database cannot have, or this one does not, each with the way to record it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace dlview::import::dlprof {

// `lacking` has the names of what absent tables and columns would contain (tables.h).
std::vector<profile::NotRecorded> list_not_recorded(const profile::Profile& profile,
                                                    const std::set<std::string>& lacking);

}  // namespace dlview::import::dlprof
