#include "import/nsys/waiting.h"

#include <algorithm>
#include <map>

#include "import/nsys/trace_values.h"

namespace dlview::import::nsys {
namespace {

using profile::GlobalId;
using profile::kNoRow;
using profile::kNoValue;
using profile::Row;

// Places in a list that is in order of thread.
struct Places {
  std::size_t first = 0, end = 0;
};

class Waiting {
 public:
  Waiting(const profile::Trace& trace, const CallIndex& calls, const OpSpans& spans);
  int64_t give(std::vector<Row>& span_of_call) const;

 private:
  GlobalId thread_of(Row call) const { return value_or(trace_.api_calls.thread, call, kNoValue); }
  // The only user's span that is open on another thread of the process; kNoRow = none, or several.
  Row open_beside(GlobalId thread, int64_t time_ns) const;
  bool calls_cuda(GlobalId thread, int64_t start_ns, int64_t stop_ns) const;

  const profile::Trace& trace_;
  const CallIndex& calls_;
  const OpSpans& spans_;
  std::map<GlobalId, Places> spans_of_thread_, calls_of_thread_;
  std::vector<int64_t> latest_end_ns_;  // of a thread's calls up to this place of calls_.rows()
};

Waiting::Waiting(const profile::Trace& trace, const CallIndex& calls, const OpSpans& spans)
    : trace_(trace), calls_(calls), spans_(spans) {
  for (std::size_t i = 0; i < spans.spans.size(); ++i) {
    Places& places =
        spans_of_thread_.try_emplace(spans.spans[i].thread, Places{i, i}).first->second;
    places.end = i + 1;
  }
  const std::vector<Row>& rows = calls.rows();
  latest_end_ns_.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [entry, added] = calls_of_thread_.try_emplace(thread_of(rows[i]), Places{i, i});
    entry->second.end = i + 1;
    const int64_t end_ns = trace.api_calls.end_ns[rows[i]];
    latest_end_ns_.push_back(added ? end_ns : std::max(end_ns, latest_end_ns_.back()));
  }
}

Row Waiting::open_beside(GlobalId thread, int64_t time_ns) const {
  Row found = kNoRow;
  const GlobalId process = profile::process_of(thread);
  for (auto other = spans_of_thread_.lower_bound(process);
       other != spans_of_thread_.end() && profile::process_of(other->first) == process; ++other) {
    if (other->first == thread) continue;
    const auto begin = spans_.spans.begin() + static_cast<std::ptrdiff_t>(other->second.first);
    const auto end = spans_.spans.begin() + static_cast<std::ptrdiff_t>(other->second.end);
    const auto next = std::upper_bound(
        begin, end, time_ns, [](int64_t time, const OpSpan& span) { return time < span.start_ns; });
    if (next == begin) continue;
    const OpSpan& span = *std::prev(next);
    if (!span.is_own_time || span.stop_ns <= time_ns) continue;
    if (found != kNoRow) return kNoRow;
    found = static_cast<Row>(std::prev(next) - spans_.spans.begin());
  }
  return found;
}

bool Waiting::calls_cuda(GlobalId thread, int64_t start_ns, int64_t stop_ns) const {
  const auto places = calls_of_thread_.find(thread);
  if (places == calls_of_thread_.end()) return false;
  const std::vector<Row>& rows = calls_.rows();
  const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(places->second.first);
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(places->second.end);
  const auto next = std::upper_bound(begin, end, stop_ns, [this](int64_t time, Row call) {
    return time < trace_.api_calls.start_ns[call];
  });
  if (next == begin) return false;
  return latest_end_ns_[static_cast<std::size_t>(std::prev(next) - rows.begin())] >= start_ns;
}

int64_t Waiting::give(std::vector<Row>& span_of_call) const {
  int64_t given = 0;
  for (const auto& [thread, places] : calls_of_thread_) {
    if (spans_.marked.contains(profile::process_of(thread))) continue;
    std::map<Row, std::vector<Row>> calls_in;  // by span, in order of start
    for (std::size_t i = places.first; i < places.end; ++i) {
      const Row call = calls_.rows()[i];
      if (span_of_call[call] != kNoRow) continue;
      const Row span = open_beside(thread, trace_.api_calls.start_ns[call]);
      if (span != kNoRow) calls_in[span].push_back(call);
    }
    for (const auto& [span, calls] : calls_in) {
      const int64_t first_ns = trace_.api_calls.start_ns[calls.front()];
      const int64_t last_ns = trace_.api_calls.start_ns[calls.back()];
      if (calls_cuda(spans_.spans[span].thread, first_ns, last_ns)) continue;
      for (const Row call : calls) span_of_call[call] = span;
      given += static_cast<int64_t>(calls.size());
    }
  }
  return given;
}

}  // namespace

int64_t give_calls_to_waiting(const profile::Trace& trace, const CallIndex& calls,
                              const OpSpans& spans, std::vector<Row>& span_of_call) {
  return Waiting(trace, calls, spans).give(span_of_call);
}

}  // namespace dlview::import::nsys
