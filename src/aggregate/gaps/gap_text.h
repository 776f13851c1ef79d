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

// "In the 3 longest the host was in /step/read for 58.8 ms of 59.0 ms": where it was longest in all
// of these gaps. Empty where none tells it.
std::string host_in_gaps(const profile::Profile& profile, std::span<const FindingPlace> gaps);

}  // namespace dlview::aggregate
