// Kernels, copies and memsets of a trace as one list of events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "report/nsys/reports.h"

namespace dlview::report::nsys {

struct GpuEvent {
  enum class Kind : uint8_t { kernel, copy, memset };
  Kind kind = Kind::kernel;
  std::size_t row = 0;  // in the trace's table of that kind
};

// Views into the profile, which has a trace.
struct GpuEvents {
  const profile::Profile& profile;
  std::vector<GpuEvent> events;

  // Appends the rows of that kind that count.
  void append(GpuEvent::Kind kind, const Input& input);

  const profile::Trace& trace() const { return *profile.trace; }
  const profile::GpuWork& work(const GpuEvent& event) const;
  int64_t start_ns(const GpuEvent& event) const { return work(event).start_ns[event.row]; }
  int64_t duration_ns(const GpuEvent& event) const {
    return work(event).end_ns[event.row] - start_ns(event);
  }
  // Of a copy or memset; nothing where the file does not tell.
  std::optional<int64_t> bytes(const GpuEvent& event) const;
};

}  // namespace dlview::report::nsys
