// NVTX ranges as the reports count them: under their names, nested by thread, and around API calls.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/nsys/reports.h"

namespace dlview::report::nsys {

inline constexpr int16_t kPushPopRange = 59, kStartEndRange = 60;

// "PushPop" or "StartEnd".
std::string_view style_name(int64_t event_type);

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
RangeTree nest_ranges(const profile::TraceNvtx& nvtx, const std::vector<int64_t>& ends);

// For each API call, the ranges of its thread that hold all of it.
struct EnclosingRanges {
  struct Run {
    std::size_t first = 0, count = 0;
  };
  std::vector<Run> runs;  // of each call, in `ranges`; calls with the same ranges may share one
  std::vector<std::size_t> ranges;  // rows of TraceNvtx, the outermost first

  std::span<const std::size_t> of(std::size_t call) const {
    return std::span(ranges).subspan(runs[call].first, runs[call].count);
  }
};
EnclosingRanges enclose_calls(const profile::TraceNvtx& nvtx, const std::vector<int64_t>& ends,
                              const profile::TraceApiCalls& calls);

// The rows that count and are push/pop or start/end ranges; none without texts and threads.
std::vector<std::size_t> range_rows(const Input& input);

}  // namespace dlview::report::nsys
