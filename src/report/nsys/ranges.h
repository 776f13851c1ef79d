// NVTX ranges as the reports count them: under their names, nested by thread, and around API calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/kinds.h"
#include "report/nsys/reports.h"
#include "report/table.h"

namespace dlview::report::nsys {

// "PushPop" or "StartEnd".
std::string_view style_name(int64_t kind);

// The names of ranges: "DOMAIN:TEXT" where the domain has a name, else "TEXT". Equal names have
// equal ids, and ids follow the alphabet.
class RangeNames {
 public:
  explicit RangeNames(const profile::Profile& profile);

  int64_t id(std::size_t range) const { return ids_[range]; }
  std::string_view operator[](int64_t id) const { return names_[static_cast<std::size_t>(id)]; }

 private:
  std::vector<int64_t> ids_;  // of each row of TraceNvtx
  std::vector<std::string> names_;
};

// When the range ended. One that was never closed ends with the last range.
std::vector<int64_t> range_ends(const profile::TraceNvtx& nvtx);

// Push/pop ranges inside each other on their thread, whatever their domains.
struct RangeTree {
  std::vector<std::size_t> parent;  // row of the innermost range around it, or kNoParent
  std::vector<int64_t> level;       // 0 = outermost
  static constexpr std::size_t kNoParent = SIZE_MAX;
};
// The row of NVTX_EVENTS, by which nsys numbers ranges.
int64_t range_id(const profile::TraceNvtx& nvtx, std::size_t range);
// Returns the id of the enclosing range, or an empty cell.
Cell parent_range_id(const profile::TraceNvtx& nvtx, const RangeTree& tree, std::size_t range);
// ":5:6": the ids from the outermost range on.
std::string range_stack(const profile::TraceNvtx& nvtx, const RangeTree& tree, std::size_t range);
RangeTree nest_ranges(const profile::TraceNvtx& nvtx, const std::vector<int64_t>& ends);

// For each API call, the ranges of its thread that enclose it. Calls share their enclosing ranges,
// so that ranges that are never closed are not listed again for each call:
//
//   ranges  A, B in A, C in A      nodes  A <- B      calls in B refer to B, those in C to C
//                                         A <- C
struct EnclosingRanges {
  static constexpr std::size_t kNone = SIZE_MAX;
  struct Node {
    std::size_t range = 0;       // row of TraceNvtx
    std::size_t around = kNone;  // node of the next range around
    int64_t first_end_ns = 0;    // of it and of all around it
  };
  std::vector<Node> nodes;
  std::vector<std::size_t> innermost;  // of each call, in `nodes`

  // Calls use(range) for each, the one that began last first.
  template <typename Use>
  void for_each(std::size_t call, const Use& use) const {
    for (std::size_t at = innermost[call]; at != kNone; at = nodes[at].around) use(nodes[at].range);
  }
};
EnclosingRanges enclose_calls(const profile::TraceNvtx& nvtx, const std::vector<int64_t>& ends,
                              const profile::TraceApiCalls& calls);

// The rows that count and are push/pop or start/end ranges; none without texts and threads.
std::vector<std::size_t> range_rows(const Input& input);

// Whether ranges have texts and threads, and work of any kind is tied to its calls.
bool has_ranges_and_launches(const profile::Trace& trace);

}  // namespace dlview::report::nsys
