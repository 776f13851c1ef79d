// Kernels, copies and memsets of a trace as one list of events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "report/nsys/key_table.h"
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
  // Returns the bytes of a memcpy or memset; nullopt if not recorded.
  std::optional<int64_t> bytes(const GpuEvent& event) const;
};

// Which API calls started a piece of GPU work: those of its process with its correlation id.
// Usually there is one; with call stacks recorded there are two, and at the edge of a capture none.

class Launches {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;

  // The calls have threads and correlation ids.
  explicit Launches(const profile::TraceApiCalls& calls);

  // Calls use(row of the API call) for each of them, in the file's order; `work` has processes and
  // correlation ids.
  template <typename Use>
  void for_each(const profile::GpuWork& work, std::size_t row, const Use& use) const {
    for (std::size_t call = first(work, row); call != kNone; call = next_[call]) use(call);
  }
  // The first of them, or kNone.
  std::size_t first(const profile::GpuWork& work, std::size_t row) const {
    const std::size_t id = ids_.find({work.process[row], work.correlation[row]});
    return id == ids_.kNone ? kNone : first_[id];
  }

 private:
  KeyTable<2> ids_;                 // process and correlation id
  std::vector<std::size_t> first_;  // call of each id
  std::vector<std::size_t> next_;   // call of the same id as this call, or kNone
};

// Whether both have the columns that tie one to the other.
bool are_tied(const profile::GpuWork& work, const profile::TraceApiCalls& calls);

// A kernel and a call that launched it.
struct Launch {
  std::size_t kernel = 0, call = Launches::kNone;
};
// Returns the launches of all kernels that count, kernel by kernel; kNone for one without a call.
// Kernels and calls are tied.
std::vector<Launch> find_launches(const Input& input);

}  // namespace dlview::report::nsys
