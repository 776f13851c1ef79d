#include "aggregate/gaps/range_times.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "aggregate/host/function_names.h"
#include "aggregate/step_names.h"
#include "profile/display_name.h"

namespace dlview::aggregate {
namespace {

using base::Interval;
using base::IntervalSet;
using profile::StringId;

struct HostRange {
  StringId text = profile::kNoText;
  Interval whole, time;  // time: in the window
};

// Whether the text is data of DLProf's Python package, which becomes ops: "{'traceMarker': …}".
bool is_marker(std::string_view text) {
  return text.starts_with("{'") || text.starts_with("{\"");
}

// Returns the host ranges that end in the window, outer ranges before nested ones.
std::vector<HostRange> ended_ranges(const profile::Profile& profile, const HostRecord& record,
                                    const HostThread& recorded, const Interval& window,
                                    const IntervalSet& in_ops) {
  std::vector<HostRange> ranges;
  const auto add = [&](StringId text, const Interval& whole, const Interval& time) {
    if (whole.stop_ns > window.stop_ns) return;  // holds the launch
    const int64_t in_ops_ns = in_ops.covered_ns(time.start_ns, time.stop_ns);
    if (in_ops_ns == time.stop_ns - time.start_ns || is_marker(profile.text(text))) return;
    ranges.push_back({text, whole, time});
  };
  record.for_each_range(recorded, window, add);
  std::ranges::stable_sort(ranges, {}, [](const HostRange& range) {
    return std::pair(range.whole.start_ns, -range.whole.stop_ns);
  });
  return ranges;
}

}  // namespace

std::vector<RangeTime> range_times(const profile::Profile& profile, const HostActivity& host,
                                   const HostRecord& record, profile::ThreadIndex thread,
                                   const HostThread& recorded, const Interval& window,
                                   const IntervalSet& in_ops) {
  std::vector<const HostRange*> quiet, loading, launching;
  const auto name = [&](const HostRange& range) {
    return profile::bare_range_name(profile.text(range.text));
  };
  const auto is_in_last = [](const HostRange& range, const std::vector<const HostRange*>& others) {
    return !others.empty() && range.whole.stop_ns <= others.back()->whole.stop_ns;
  };
  const std::vector<HostRange> ranges = ended_ranges(profile, record, recorded, window, in_ops);
  for (const HostRange& range : ranges) {
    const bool is_in_quiet = is_in_last(range, quiet);
    if (!is_in_quiet && host.launches_in(thread, range.whole)) {
      launching.push_back(&range);
      continue;
    }
    if (is_in_last(range, loading)) continue;
    if (is_data_range(name(range))) {
      loading.push_back(&range);
    }
    if (!is_in_quiet) quiet.push_back(&range);
  }
  std::vector<RangeTime> times;
  IntervalSet covered;
  const auto add = [&](const HostRange& range, bool loads_data) {
    const IntervalSet whole = IntervalSet::union_of({range.time});
    IntervalSet own = whole.without(covered);
    covered = covered.united_with(whole);
    if (!own.empty()) times.push_back({range.text, std::move(own), loads_data});
  };
  for (const HostRange* const range : loading) add(*range, true);
  for (const HostRange* const range : quiet) add(*range, false);
  // Launching ranges are nested: of two disjoint ones, the later would have launched during the
  // gap.
  for (auto range = launching.rbegin(); range != launching.rend(); ++range) {
    if (!names_step(name(**range))) add(**range, is_data_range(name(**range)));
  }
  return times;
}

}  // namespace dlview::aggregate
