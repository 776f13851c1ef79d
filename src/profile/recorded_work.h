// Maps events of a Profile to their rows in the Trace, and back, by source id. Only this header
// defines the encoding.
#pragma once

#include <cstddef>
#include <cstdint>

#include "profile/profile.h"

namespace dlview::profile {

// A row of one of the tables of a Trace, as a source id.
constexpr int64_t source_id_of_row(std::size_t row) {
  return static_cast<int64_t>(row) + 1;
}
// The inverse. An invalid id gives a row beyond the end of every table.
constexpr std::size_t row_of_source_id(int64_t source_id) {
  return static_cast<std::size_t>(source_id) - 1;
}

struct RecordedWork {
  const GpuWork& table;
  std::size_t row = 0;
};

// Launches of whole graphs count as kernels, and follow those of the trace.
inline int64_t source_id_of_graph_launch(const Trace& trace, std::size_t row) {
  return source_id_of_row(trace.kernels.size() + row);
}

// For a profile with a trace.
inline RecordedWork recorded_kernel(const Profile& profile, KernelIndex kernel) {
  const Trace& trace = *profile.trace;
  const std::size_t row = row_of_source_id(profile.kernels.source_id[kernel]);
  if (row < trace.kernels.size()) return {trace.kernels, row};
  return {trace.graph_launches, row - trace.kernels.size()};
}
inline RecordedWork recorded_memory_op(const Profile& profile, MemoryOpIndex memory_op) {
  const Trace& trace = *profile.trace;
  const bool is_copy = profile.memory_ops.kind[memory_op] == MemoryOpKind::memcpy;
  return {is_copy ? static_cast<const GpuWork&>(trace.memcpys) : trace.memsets,
          row_of_source_id(profile.memory_ops.source_id[memory_op])};
}

}  // namespace dlview::profile
