// Selection: how the run is split into iterations, which of them are the range, and which filters
// apply. Each open run has one; every number on screen belongs to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/filter.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// spec.md 1. `stored` takes the iteration list of a stored aggregation as it is.
enum class CutKind : uint8_t { start, end, stored };
constexpr std::string_view to_text(CutKind kind) {
  return kind == CutKind::start ? "start" : kind == CutKind::end ? "end" : "stored";
}

// The source of an iteration's times: the host, or the kernels that it launches (spec.md 92 to 94).
enum class SplitBy : uint8_t { host, gpu };
constexpr std::string_view to_text(SplitBy by) {
  return by == SplitBy::gpu ? "gpu" : "host";
}

// The process, or thread, whose instances of the marker count. Without a thread: that with the most
// of them (spec.md 48).
struct Clock {
  int64_t process_id = 0;
  std::optional<int64_t> thread_id = {};
  bool is(const profile::Thread& thread) const {
    return process_id == thread.process_id &&
           thread_id.value_or(thread.thread_id) == thread.thread_id;
  }
  bool operator==(const Clock&) const = default;
};

struct Cut {
  CutKind kind = CutKind::start;
  // Name or path of a user range; or op id or op name, then every op that has it marks iterations.
  std::string key_op;
  std::size_t stored_index = 0;      // into Profile::stored_aggregations, for CutKind::stored
  std::optional<Clock> clock = {};   // not given: spec.md 4; never with CutKind::stored
  SplitBy split_by = SplitBy::host;  // likewise host with CutKind::stored
  bool operator==(const Cut&) const = default;
};

// Inclusive at both ends, everywhere: 200..400 are 201 iterations.
struct IterationRange {
  int64_t first = 0, last = 0;
  int64_t size() const { return last - first + 1; }
  bool operator==(const IterationRange&) const = default;
};

struct Selection {
  Cut cut;
  IterationRange range;
  std::vector<Filter> filters = {};  // canonical(): in order, no doubles; empty = everything
  // Returns the selection with another range.
  Selection with_range(const IterationRange& other) const { return {cut, other, filters}; }
  bool operator==(const Selection&) const = default;
};

}  // namespace dlview::aggregate
