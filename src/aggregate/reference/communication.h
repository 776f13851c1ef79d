// Communication on each device by a sweep over the starts and stops of its kernels (spec.md 45).
#pragma once

#include <vector>

#include "aggregate/communication.h"
#include "aggregate/reference/kept.h"
#include "profile/profile.h"

namespace dlview::aggregate::reference {

// A span of time [start, stop) in which communication kernels run; exposed: and no others.
struct CommunicationSpan {
  int64_t start_ns = 0, stop_ns = 0;
  bool is_exposed = false;
};
using CommunicationSpans = std::vector<CommunicationSpan>;  // disjoint, in order of time

// One entry for each device of the profile, of the kernels that filters keep.
std::vector<CommunicationSpans> communication_spans(const profile::Profile& profile,
                                                    const Kept& kept);

// Returns the part in [start_ns, stop_ns).
CommunicationTime communication_between(const CommunicationSpans& spans, int64_t start_ns,
                                        int64_t stop_ns);

}  // namespace dlview::aggregate::reference
