#include "import/capture/backward_threads.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "import/capture/trace_rows.h"

namespace dlview::import::capture {
namespace {

using profile::kNoRow;
using profile::kNoText;
using profile::kNoValue;
using profile::Row;
using profile::StringId;
using profile::ThreadId;

// "cutlass_80_tensorop_s1688dgrad_...", "max_pool_backward_nhwc", "flash_bwd_kernel"
bool is_named_for_backward(std::string_view kernel) {
  constexpr std::array<std::string_view, 5> kWords{"backward", "dgrad", "wgrad", "bwd", "bprop"};
  std::string name(kernel);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::ranges::any_of(
      kWords, [&name](std::string_view word) { return name.find(word) != std::string::npos; });
}

class BackwardFinder {
 public:
  BackwardFinder(const CallPlaces& places, const BackwardThreads& threads,
                 profile::ProfileBuilder& builder);
  std::vector<BackwardStretch> find();

 private:
  void find_in(std::size_t thread);
  // Of the first thread of the process: the span at that time, a place in OpSpans::spans.
  Row span_of_first_thread(ThreadId process, int64_t time_ns) const;
  // The range that the op lies in: the innermost numbered one around the span, else the outermost.
  // kRoot = no range is open there.
  OpPaths::Node range_around(Row span) const;
  std::optional<OpPaths::Node> op_of(Row span, ThreadId thread);
  void finish();

  const CallPlaces& places_;
  const BackwardThreads& threads_;
  profile::ProfileBuilder& builder_;
  std::set<OpPaths::Node> ranges_, numbered_;
  std::vector<BackwardStretch> found_;
  std::optional<BackwardStretch> open_;
};

BackwardFinder::BackwardFinder(const CallPlaces& places, const BackwardThreads& threads,
                               profile::ProfileBuilder& builder)
    : places_(places), threads_(threads), builder_(builder) {
  for (const MarkedRange& range : places.spans.user_ranges) {
    ranges_.insert(range.node);
    const RangeFacts& facts = places.ranges.facts_of(places.ranges.ranges[range.range]);
    if (facts.number != kNoValue) numbered_.insert(range.node);
  }
}

std::vector<BackwardStretch> BackwardFinder::find() {
  const profile::ThreadGroups& calls = places_.calls.by_thread();
  for (std::size_t thread = 0; thread < calls.threads.size(); ++thread) {
    if (threads_.contains(calls.threads[thread])) find_in(thread);
  }
  return std::move(found_);
}

Row BackwardFinder::span_of_first_thread(ThreadId process, int64_t time_ns) const {
  const ThreadId first = threads_.first_thread(process);
  const auto& spans = places_.spans.spans;
  const auto next = std::ranges::upper_bound(
      spans, std::pair(first, time_ns), {},
      [](const OpSpan& span) { return std::pair(span.thread, span.start_ns); });
  if (next == spans.begin()) return kNoRow;
  const OpSpan& span = *std::prev(next);
  const bool is_open = span.thread == first && time_ns <= span.stop_ns;
  return is_open ? static_cast<Row>(std::prev(next) - spans.begin()) : kNoRow;
}

OpPaths::Node BackwardFinder::range_around(Row span) const {
  OpPaths::Node outermost = OpPaths::kRoot;
  for (OpPaths::Node node = places_.spans.spans[span].node; node != OpPaths::kRoot;
       node = places_.spans.paths.parent(node)) {
    if (numbered_.contains(node)) return node;
    if (ranges_.contains(node)) outermost = node;
  }
  return outermost;
}

std::optional<OpPaths::Node> BackwardFinder::op_of(Row span, ThreadId thread) {
  const OpPaths::Node range = range_around(span);
  if (range == OpPaths::kRoot) return std::nullopt;
  const std::string name = fmt::format("backward (thread {})", places_.launching.number_of(thread));
  return places_.spans.paths.below(range, builder_.intern(name), builder_);
}

void BackwardFinder::find_in(std::size_t thread) {
  const profile::ThreadGroups& calls = places_.calls.by_thread();
  const ThreadId id = calls.threads[thread];
  const auto& spans = places_.spans.spans;
  auto own = std::ranges::lower_bound(spans, id, {}, &OpSpan::thread);
  Row last_span = kNoRow;
  for (std::size_t i = calls.first[thread]; i < calls.first[thread + 1]; ++i) {
    const Row call = calls.rows[i];
    const int64_t start_ns = places_.trace.api_calls.start_ns[call];
    for (; own != spans.end() && own->thread == id && own->start_ns <= start_ns; ++own) {
      if (!is_of_library(places_.ranges, *own)) finish();
    }
    const Row span =
        places_.is_free(call) ? span_of_first_thread(profile::process_of(id), start_ns) : kNoRow;
    if (span != last_span) finish();
    last_span = span;
    if (span == kNoRow) continue;
    if (!open_ && places_.launching.causes_work(call)) {
      if (const auto node = op_of(span, id)) open_ = BackwardStretch{*node, id, {}};
    }
    if (open_) open_->calls.push_back(call);
  }
  finish();
}

void BackwardFinder::finish() {
  if (!open_) return;
  while (!places_.launching.causes_work(open_->calls.back())) open_->calls.pop_back();
  const profile::TraceApiCalls& calls = places_.trace.api_calls;
  require_calls(places_.ranges, open_->thread,
                {calls.start_ns[open_->calls.front()], calls.start_ns[open_->calls.back()]},
                places_.spans);
  for (const Row call : open_->calls) places_.span_of_call[call] = kNoRow;
  found_.push_back(*std::exchange(open_, std::nullopt));
}

}  // namespace

BackwardThreads::BackwardThreads(const CallPlaces& places, std::span<const Work> work,
                                 const profile::ProfileBuilder& builder)
    : paths_(places.spans.paths), builder_(builder) {
  for (const ThreadId thread : places.ranges.threads) {
    const ThreadId process = profile::process_of(thread);
    if (!places.launching.is_first(thread) || places.spans.marked.contains(process)) continue;
    first_threads_.emplace(process, thread);
  }
  const std::set<ThreadId> candidates = threads_with_work(places);
  if (candidates.empty()) return;
  const profile::Trace& trace = places.trace;
  std::unordered_map<StringId, bool> known;
  for (const Work& w : work) {
    if (w.kind != WorkKind::kernel || w.call == kNoRow) continue;
    const ThreadId thread = value_or(trace.api_calls.thread, w.call, kNoValue);
    if (!candidates.contains(thread) || threads_.contains(thread)) continue;
    const StringId short_name = value_or(trace.kernels.short_name, w.row, kNoText);
    const StringId name = value_or(trace.kernels.demangled_name, w.row, short_name);
    if (name == kNoText) continue;
    const auto [entry, is_new] = known.try_emplace(name, false);
    if (is_new) entry->second = is_named_for_backward(builder.text(name));
    if (entry->second) threads_.insert(thread);
  }
}

std::set<ThreadId> BackwardThreads::threads_with_work(const CallPlaces& places) const {
  const profile::ThreadGroups& calls = places.calls.by_thread();
  std::set<ThreadId> threads;
  for (std::size_t i = 0; i < calls.threads.size(); ++i) {
    const ThreadId thread = calls.threads[i];
    const ThreadId first = first_thread(profile::process_of(thread));
    if (first == kNoValue || first == thread) continue;
    const auto begin = calls.rows.begin() + static_cast<std::ptrdiff_t>(calls.first[i]);
    const auto end = calls.rows.begin() + static_cast<std::ptrdiff_t>(calls.first[i + 1]);
    const bool has_work = std::any_of(begin, end, [&](Row call) {
      return places.launching.causes_work(call) && places.is_free(call);
    });
    if (has_work) threads.insert(thread);
  }
  return threads;
}

bool BackwardThreads::is_time_of_a_step(const OpSpan& span) const {
  if (first_thread(profile::process_of(span.thread)) != span.thread) return false;
  if (!paths_.has_inner(span.node)) return false;
  for (OpPaths::Node node = span.node; node != OpPaths::kRoot; node = paths_.parent(node)) {
    if (is_named_for_backward(builder_.text(paths_.name(node)))) return false;
  }
  return true;
}

ThreadId BackwardThreads::first_thread(ThreadId process) const {
  const auto found = first_threads_.find(process);
  return found == first_threads_.end() ? kNoValue : found->second;
}

std::vector<BackwardStretch> find_backward_stretches(const CallPlaces& places,
                                                     const BackwardThreads& threads,
                                                     profile::ProfileBuilder& builder) {
  return BackwardFinder(places, threads, builder).find();
}

}  // namespace dlview::import::capture
