#include "import/nsys/call_index.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "import/nsys/trace_values.h"
#include "import/times.h"

namespace dlview::import::nsys {
namespace {

using profile::GlobalId;
using profile::kNoRow;
using profile::kNoValue;
using profile::Row;

constexpr int16_t kRuntime = 0, kDriver = 1;

}  // namespace

CallIndex::CallIndex(const profile::Trace& trace, QualityLog& quality) {
  const profile::TraceApiCalls& calls = trace.api_calls;
  for (Row row = 0; row < calls.size(); ++row) {
    const int16_t event_class = value_or(calls.event_class, row, kRuntime);
    if (event_class != kRuntime && event_class != kDriver) continue;
    if (const char* problem = time_problem(calls.start_ns[row], calls.end_ns[row])) {
      quality.add("CUPTI_ACTIVITY_KIND_RUNTIME", problem, int64_t{row} + 1, [&] {
        return "from " + std::to_string(calls.start_ns[row]) + " ns to " +
               std::to_string(calls.end_ns[row]) + " ns";
      });
      continue;
    }
    rows_.push_back(row);
    entries_.push_back({profile::process_of(value_or(calls.thread, row, profile::kNoValue)),
                        value_or(calls.correlation, row, kNoValue), row});
  }
  std::stable_sort(rows_.begin(), rows_.end(), [&calls](Row a, Row b) {
    return std::tuple(value_or(calls.thread, a, profile::kNoValue), calls.start_ns[a]) <
           std::tuple(value_or(calls.thread, b, profile::kNoValue), calls.start_ns[b]);
  });
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tuple(a.process, a.correlation) < std::tuple(b.process, b.correlation);
  });
  if (!entries_.empty() && entries_.front().process == entries_.back().process) {
    only_process_ = entries_.front().process;
  }
}

Row CallIndex::find(GlobalId process, int64_t correlation) const {
  if (correlation == kNoValue || correlation == 0) return kNoRow;
  if (process == profile::kNoValue && only_process_) process = *only_process_;
  const auto found =
      std::lower_bound(entries_.begin(), entries_.end(), std::pair(process, correlation),
                       [](const Entry& entry, const auto& wanted) {
                         return std::pair(entry.process, entry.correlation) < wanted;
                       });
  const bool is_it =
      found != entries_.end() && found->process == process && found->correlation == correlation;
  return is_it ? found->row : kNoRow;
}

}  // namespace dlview::import::nsys
