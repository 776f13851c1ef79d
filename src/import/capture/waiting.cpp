#include "import/capture/waiting.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/stop_point.h"
#include "import/capture/backward_threads.h"
#include "import/capture/trace_rows.h"

namespace dlview::import::capture {
namespace {

using profile::kNoRow;
using profile::kNoValue;
using profile::Row;
using profile::ThreadId;

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
    base::stop_point();
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
  explicit Waiting(const CallPlaces& places);
  std::vector<bool> give(const BackwardThreads& backward) const;

 private:
  // Free calls by the span that they would be given to, in order of start.
  std::map<Row, std::vector<Row>> calls_by_span(std::size_t thread) const;
  bool calls_cuda(ThreadId thread, const base::Interval& time) const;
  // From the start of the first to that of the last that causes work.
  std::optional<base::Interval> time_of_work(const std::vector<Row>& calls) const;

  const CallPlaces& places_;
  const profile::TraceApiCalls& table_;
  const profile::ThreadGroups& calls_;
  std::unordered_map<ThreadId, OpenSpans> open_;  // by process
  std::vector<int64_t> latest_end_ns_;            // of a thread's calls up to this place of calls_
};

Waiting::Waiting(const CallPlaces& places)
    : places_(places), table_(places.trace.api_calls), calls_(places.calls.by_thread()) {
  std::optional<std::pair<ThreadId, bool>> last;
  const auto is_helper = [&](ThreadId thread) {
    if (!last || last->first != thread) last = {thread, places.launching.is_helper(thread)};
    return last->second;
  };
  for (Row i = 0; i < places.spans.spans.size(); ++i) {
    if (i % kRowsAtOnce == 0) base::stop_point();
    const OpSpan& span = places.spans.spans[i];
    if (!span.is_own_time || is_helper(span.thread)) continue;
    open_[profile::process_of(span.thread)].add(i, span);
  }
  for (auto& [process, open] : open_) open.finish();
  base::stop_point();
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

bool Waiting::calls_cuda(ThreadId thread, const base::Interval& time) const {
  const auto found = std::ranges::lower_bound(calls_.threads, thread);
  if (found == calls_.threads.end() || *found != thread) return false;
  const auto number = static_cast<std::size_t>(found - calls_.threads.begin());
  const auto begin = calls_.rows.begin() + static_cast<std::ptrdiff_t>(calls_.first[number]);
  const auto end = calls_.rows.begin() + static_cast<std::ptrdiff_t>(calls_.first[number + 1]);
  const auto next = std::upper_bound(begin, end, time.stop_ns, [this](int64_t time_ns, Row call) {
    return time_ns < table_.start_ns[call];
  });
  if (next == begin) return false;
  return latest_end_ns_[static_cast<std::size_t>(std::prev(next) - calls_.rows.begin())] >=
         time.start_ns;
}

std::map<Row, std::vector<Row>> Waiting::calls_by_span(std::size_t thread) const {
  std::map<Row, std::vector<Row>> calls;
  const ThreadId process = profile::process_of(calls_.threads[thread]);
  const auto open = open_.find(process);
  if (open == open_.end() || places_.spans.marked.contains(process)) return calls;
  for (std::size_t i = calls_.first[thread]; i < calls_.first[thread + 1]; ++i) {
    const Row call = calls_.rows[i];
    if (!places_.is_free(call)) continue;
    // A free call lies outside every user's span of its own thread.
    const Row span = open->second.only(table_.start_ns[call]);
    if (span != kNoRow) calls[span].push_back(call);
  }
  return calls;
}

std::optional<base::Interval> Waiting::time_of_work(const std::vector<Row>& calls) const {
  const auto causes_work = [this](Row call) { return places_.launching.causes_work(call); };
  const auto first = std::ranges::find_if(calls, causes_work);
  if (first == calls.end()) return std::nullopt;
  const auto last = std::find_if(calls.rbegin(), calls.rend(), causes_work);
  return base::Interval{table_.start_ns[*first], table_.start_ns[*last]};
}

std::vector<bool> Waiting::give(const BackwardThreads& backward) const {
  std::vector<bool> is_given(places_.span_of_call.size());
  for (std::size_t thread = 0; thread < calls_.threads.size(); ++thread) {
    if (places_.launching.is_first(calls_.threads[thread])) continue;
    const bool is_backward = backward.contains(calls_.threads[thread]);
    for (const auto& [span, calls] : calls_by_span(thread)) {
      const std::optional<base::Interval> time = time_of_work(calls);
      const OpSpan& waits = places_.spans.spans[span];
      if (!time || calls_cuda(waits.thread, *time)) continue;
      if (is_backward && backward.is_time_of_a_step(waits)) continue;
      for (const Row call : calls) {
        if (table_.start_ns[call] < time->start_ns || table_.start_ns[call] > time->stop_ns) {
          continue;
        }
        places_.span_of_call[call] = span;
        is_given[call] = true;
      }
      require_calls(places_.ranges, calls_.threads[thread], *time, places_.spans);
    }
  }
  return is_given;
}

}  // namespace

LaunchingThreads::LaunchingThreads(const profile::Trace& trace, const NvtxRanges& ranges,
                                   const CallIndex& calls, std::span<const Work> work)
    : causes_work_(trace.api_calls.size()) {
  ThreadId last = kNoValue;
  Launches* launches = nullptr;
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (i % kRowsAtOnce == 0) base::stop_point();
    const Work& w = work[i];
    if (w.call == kNoRow) continue;
    causes_work_[w.call] = true;
    if (w.kind != WorkKind::kernel && w.kind != WorkKind::graph) continue;
    const ThreadId thread = value_or(trace.api_calls.thread, w.call, kNoValue);
    if (launches == nullptr || thread != last) launches = &threads_[last = thread];
    ++launches->kernels;
    launches->first_ns = std::min(launches->first_ns, trace.api_calls.start_ns[w.call]);
  }
  for (const auto& [thread, own] : threads_) kernels_[profile::process_of(thread)] += own.kernels;
  std::map<ThreadId, std::pair<int64_t, ThreadId>> earliest;  // by process: time and thread
  const auto look_at = [&trace, &earliest](ThreadId thread, int64_t start_ns) {
    const profile::Thread numbers = trace.numbers_of(thread);
    const bool has_number = numbers.process_id == numbers.thread_id;
    const std::pair found{has_number ? INT64_MIN : start_ns, thread};
    const auto [entry, is_new] = earliest.try_emplace(profile::process_of(thread), found);
    if (!is_new) entry->second = std::min(entry->second, found);
  };
  for (std::size_t i = 0; i < ranges.threads.size(); ++i) {
    if (ranges.first[i] == ranges.first[i + 1]) continue;
    look_at(ranges.threads[i], ranges.time_of(ranges.ranges[ranges.first[i]]).start_ns);
  }
  const profile::ThreadGroups& by_thread = calls.by_thread();
  for (std::size_t i = 0; i < by_thread.threads.size(); ++i) {
    if (by_thread.first[i] == by_thread.first[i + 1]) continue;
    look_at(by_thread.threads[i], trace.api_calls.start_ns[by_thread.rows[by_thread.first[i]]]);
  }
  for (const auto& [process, found] : earliest) first_threads_[process] = found.second;
}

bool LaunchingThreads::is_first(ThreadId thread) const {
  const auto first = first_threads_.find(profile::process_of(thread));
  return first != first_threads_.end() && first->second == thread;
}

bool LaunchingThreads::is_helper(ThreadId thread) const {
  if (is_first(thread)) return false;
  const auto own = threads_.find(thread);
  const auto all = kernels_.find(profile::process_of(thread));
  if (own == threads_.end() || all == kernels_.end()) return true;
  return own->second.kernels * 10 < all->second;
}

int64_t LaunchingThreads::number_of(ThreadId thread) const {
  const auto own = threads_.find(thread);
  if (own == threads_.end()) return 0;
  const auto order = [](const auto& entry) {
    return std::pair(entry.second.first_ns, entry.first);
  };
  int64_t number = 1;
  for (auto other = threads_.lower_bound(profile::process_of(thread));
       other != threads_.end() && profile::process_of(other->first) == profile::process_of(thread);
       ++other) {
    if (order(*other) < order(*own)) ++number;
  }
  return number;
}

bool is_of_library(const NvtxRanges& ranges, const OpSpan& span) {
  return ranges.facts_of(ranges.ranges[span.range]).kind == RangeKind::library;
}

bool CallPlaces::is_free(Row call) const {
  const Row span = span_of_call[call];
  return span == kNoRow || is_of_library(ranges, spans.spans[span]);
}

std::vector<bool> give_calls_to_waiting(const CallPlaces& places, const BackwardThreads& backward) {
  return Waiting(places).give(backward);
}

void require_calls(const NvtxRanges& ranges, ThreadId thread, base::Interval time, OpSpans& spans) {
  const auto start_of = [](const OpSpan& span) { return std::pair(span.thread, span.start_ns); };
  auto span = std::ranges::lower_bound(spans.spans, std::pair(thread, time.start_ns), {}, start_of);
  for (; span != spans.spans.end() && start_of(*span) <= std::pair(thread, time.stop_ns); ++span) {
    if (is_of_library(ranges, *span)) span->needs_call = true;
  }
}

}  // namespace dlview::import::capture
