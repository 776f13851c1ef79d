// What the host did while a GPU did nothing, in words.
#pragma once

#include <string>

#include "aggregate/gaps/idle_gaps.h"
#include "profile/profile.h"

namespace dlview::ui {

// "data loading for 70 ms"; of work that was "already launched" the GPU's pause no time.
std::string host_cause_text(const aggregate::HostTime& host);
// "data loading for 70 ms, in next_batch"
std::string host_text(const profile::Profile& profile, const aggregate::HostTime& host);

}  // namespace dlview::ui
