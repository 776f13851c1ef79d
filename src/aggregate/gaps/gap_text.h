// Texts about host activity in idle gaps.
#pragma once

#include <span>
#include <string>

#include "aggregate/finding.h"
#include "aggregate/gaps/idle_gaps.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// "in /step/read", "in cudaStreamSynchronize", "between ops": goes on from "the host was". Names
// the thread that was busy meanwhile: "asleep, while thread 114211 was in read_batch".
std::string place_of_host(const profile::Profile& profile, const HostTime& host);
// As place_of_host(), shorter: "asleep · data loading in thread 114211".
std::string short_place_of_host(const profile::Profile& profile, const HostTime& host);

// "pt_data_pin (114211)", or the number alone.
std::string thread_text(const profile::Profile& profile, profile::ThreadId thread);
// "thread pt_data_pin (114211)", "pin-memory thread 114211", "thread 114211".
std::string busy_thread_text(const profile::Profile& profile, const BusyThread& thread);
// Where a busy thread was: the function that most of its samples share, else its longest range.
// Empty where neither is recorded.
std::string busy_in_text(const profile::Profile& profile, const BusyThread& thread);

// "In the 3 longest idle gaps (59.0 ms in total over 2 GPUs), the host was mostly in /step/read".
// Where no place has at least half of the time, the largest with their shares: "the host spent 33%
// of the time in cudaStreamSynchronize, 21% asleep". Where it mostly waited for data, how busy the
// thread that prepares it was, and what to do. Empty where nothing is known.
std::string host_in_gaps(const profile::Profile& profile, std::span<const FindingPlace> gaps);

}  // namespace dlview::aggregate
