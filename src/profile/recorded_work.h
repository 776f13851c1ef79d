// The rows of a Trace that the kernels and memory operations of a profile come from.
#pragma once

#include <cstddef>

#include "profile/profile.h"

namespace dlview::profile {

struct RecordedWork {
  const GpuWork& table;
  std::size_t row = 0;
};

// For a profile with a trace. Source ids are the row plus 1; launches of whole graphs count as
// kernels and follow those of the trace.
inline RecordedWork recorded_kernel(const Profile& profile, Row kernel) {
  const Trace& trace = *profile.trace;
  const auto row = static_cast<std::size_t>(profile.kernels.source_id[kernel] - 1);
  if (row < trace.kernels.size()) return {trace.kernels, row};
  return {trace.graph_launches, row - trace.kernels.size()};
}
inline RecordedWork recorded_memory_op(const Profile& profile, Row memory_op) {
  const Trace& trace = *profile.trace;
  const bool is_copy = profile.memory_ops.kind[memory_op] == MemoryOpKind::memcpy;
  return {is_copy ? static_cast<const GpuWork&>(trace.memcpys) : trace.memsets,
          static_cast<std::size_t>(profile.memory_ops.source_id[memory_op] - 1)};
}

}  // namespace dlview::profile
