// What the host did in idle gaps, in words.
#pragma once

#include <span>
#include <string>

#include "aggregate/finding.h"
#include "aggregate/gaps/idle_gaps.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// "in /step/read", "in cudaStreamSynchronize", "between ops": goes on from "the host was".
std::string place_of_host(const profile::Profile& profile, const HostTime& host);

// "In the 3 longest, 59.0 ms together, the host was mostly in /step/read". Empty where none tells
// it.
std::string host_in_gaps(const profile::Profile& profile, std::span<const FindingPlace> gaps);

}  // namespace dlview::aggregate
