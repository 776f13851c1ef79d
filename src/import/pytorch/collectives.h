// Finds the collective operations of a PyTorch profiler trace and the API calls inside them
// (docs/dev/formats.md, PyTorch traces).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/untouched_vector.h"
#include "import/pytorch/trace_events.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::pytorch {

// The name of the event that PyTorch records for each collective.
inline constexpr std::string_view kRecordedCollective = "record_param_comms";

struct FoundCollectives {
  // In file order: record_param_comms events and annotations outside them. Arguments that such an
  // event lacks are those of the event directly inside.
  std::vector<CollectiveEvent> rows;
  base::UntouchedVector<profile::Row> of_call;  // by TraceEvents::calls: a row, or kNoRow
};

// `calls_by_start` has the indexes of TraceEvents::calls, `threads` the ids of its threads. Adds
// names of types to `builder`. Looks at each host event and call, or at none if the trace has no
// collective.
FoundCollectives find_collectives(const TraceEvents& events,
                                  std::span<const profile::ThreadId> threads,
                                  std::span<const profile::Row> calls_by_start,
                                  profile::ProfileBuilder& builder);

// Elements of the tensors "[[8,1024],[]]": the sum of the products of all lists of numbers.
// kNoValue = no such list, or the sum exceeds 64 bits.
int64_t element_count(std::string_view dims);

// Adds what the arguments of a kernel tell and its event does not.
void complete_from_kernel(CollectiveEvent& event, const CollectiveEvent& kernel);

}  // namespace dlview::import::pytorch
