#include "import/nsys/waiting.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>

namespace dlview::import::nsys {
namespace {

using profile::GlobalId;
using profile::kNoRow;
using profile::Row;

// Which user's span of a process is open, when it is the only one.
class OpenSpans {
 public:
  void add(Row number, const OpSpan& span) {
    if (span.start_ns == span.stop_ns) return;
    edges_.push_back({span.start_ns, 1, number});
    edges_.push_back({span.stop_ns, -1, number});
  }

  void finish() {
    std::ranges::sort(edges_, {}, &Edge::time_ns);
    int64_t open = 0;
    uint64_t numbers = 0;  // of the open ones, added up
    for (const Edge& edge : edges_) {
      open += edge.opens;
      numbers = edge.opens > 0 ? numbers + edge.span : numbers - edge.span;
      if (starts_ns_.empty() || starts_ns_.back() != edge.time_ns) {
        starts_ns_.push_back(edge.time_ns);
        only_.push_back(kNoRow);
      }
      only_.back() = open == 1 ? static_cast<Row>(numbers) : kNoRow;
    }
    edges_ = {};
  }

  // kNoRow = none, or several.
  Row only(int64_t time_ns) const {
    const auto next = std::ranges::upper_bound(starts_ns_, time_ns);
    if (next == starts_ns_.begin()) return kNoRow;
    return only_[static_cast<std::size_t>(next - starts_ns_.begin()) - 1];
  }

 private:
  struct Edge {
    int64_t time_ns = 0;
    int opens = 0;
    Row span = 0;
  };
  std::vector<Edge> edges_;
  std::vector<int64_t> starts_ns_;
  std::vector<Row> only_;  // from starts_ns_ on
};

class Waiting {
 public:
  Waiting(const profile::Trace& trace, const CallIndex& calls, const OpSpans& spans);
  std::vector<bool> give(base::UntouchedVector<Row>& span_of_call) const;

 private:
  // By the span that they would be given to, in order of start.
  std::map<Row, std::vector<Row>> calls_by_span(
      std::size_t thread, const base::UntouchedVector<Row>& span_of_call) const;
  bool calls_cuda(GlobalId thread, int64_t start_ns, int64_t stop_ns) const;

  const profile::TraceApiCalls& table_;
  const ThreadGroups& calls_;
  const OpSpans& spans_;
  std::unordered_map<GlobalId, OpenSpans> open_;  // by process
  std::vector<int64_t> latest_end_ns_;            // of a thread's calls up to this place of calls_
};

Waiting::Waiting(const profile::Trace& trace, const CallIndex& calls, const OpSpans& spans)
    : table_(trace.api_calls), calls_(calls.by_thread()), spans_(spans) {
  for (Row i = 0; i < spans.spans.size(); ++i) {
    const OpSpan& span = spans.spans[i];
    if (span.is_own_time) open_[profile::process_of(span.thread)].add(i, span);
  }
  for (auto& [process, open] : open_) open.finish();
  if (open_.empty()) return;
  latest_end_ns_.reserve(calls_.rows.size());
  for (std::size_t thread = 0; thread < calls_.threads.size(); ++thread) {
    int64_t latest_ns = INT64_MIN;
    for (std::size_t i = calls_.first[thread]; i < calls_.first[thread + 1]; ++i) {
      latest_ns = std::max(latest_ns, table_.end_ns[calls_.rows[i]]);
      latest_end_ns_.push_back(latest_ns);
    }
  }
}

bool Waiting::calls_cuda(GlobalId thread, int64_t start_ns, int64_t stop_ns) const {
  const auto found = std::ranges::lower_bound(calls_.threads, thread);
  if (found == calls_.threads.end() || *found != thread) return false;
  const auto number = static_cast<std::size_t>(found - calls_.threads.begin());
  const auto begin = calls_.rows.begin() + static_cast<std::ptrdiff_t>(calls_.first[number]);
  const auto end = calls_.rows.begin() + static_cast<std::ptrdiff_t>(calls_.first[number + 1]);
  const auto next = std::upper_bound(
      begin, end, stop_ns, [this](int64_t time, Row call) { return time < table_.start_ns[call]; });
  if (next == begin) return false;
  return latest_end_ns_[static_cast<std::size_t>(std::prev(next) - calls_.rows.begin())] >=
         start_ns;
}

std::map<Row, std::vector<Row>> Waiting::calls_by_span(
    std::size_t thread, const base::UntouchedVector<Row>& span_of_call) const {
  std::map<Row, std::vector<Row>> calls;
  const GlobalId process = profile::process_of(calls_.threads[thread]);
  const auto open = open_.find(process);
  if (open == open_.end() || spans_.marked.contains(process)) return calls;
  for (std::size_t i = calls_.first[thread]; i < calls_.first[thread + 1]; ++i) {
    const Row call = calls_.rows[i];
    if (span_of_call[call] != kNoRow) continue;
    // A call without a span lies outside every span of its own thread.
    const Row span = open->second.only(table_.start_ns[call]);
    if (span != kNoRow) calls[span].push_back(call);
  }
  return calls;
}

std::vector<bool> Waiting::give(base::UntouchedVector<Row>& span_of_call) const {
  std::vector<bool> is_given(span_of_call.size());
  for (std::size_t thread = 0; thread < calls_.threads.size(); ++thread) {
    for (const auto& [span, calls] : calls_by_span(thread, span_of_call)) {
      const int64_t first_ns = table_.start_ns[calls.front()];
      const int64_t last_ns = table_.start_ns[calls.back()];
      if (calls_cuda(spans_.spans[span].thread, first_ns, last_ns)) continue;
      for (const Row call : calls) {
        span_of_call[call] = span;
        is_given[call] = true;
      }
    }
  }
  return is_given;
}

}  // namespace

std::vector<bool> give_calls_to_waiting(const profile::Trace& trace, const CallIndex& calls,
                                        const OpSpans& spans,
                                        base::UntouchedVector<Row>& span_of_call) {
  return Waiting(trace, calls, spans).give(span_of_call);
}

}  // namespace dlview::import::nsys
