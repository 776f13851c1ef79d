#include "import/capture/call_spans.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "import/capture/rows_at_once.h"

namespace dlview::import::capture {

using profile::kNoRow;
using profile::Row;

base::UntouchedVector<Row> spans_of_calls(const profile::Trace& trace, const CallIndex& index,
                                          const OpSpans& all) {
  const base::UntouchedVector<OpSpan>& spans = all.spans;
  const ThreadGroups& calls = index.by_thread();
  base::UntouchedVector<Row> span_of_call(trace.api_calls.size());
  base::parallel_for(span_of_call.size(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    std::fill(span_of_call.begin() + begin, span_of_call.begin() + end, kNoRow);
  });
  const auto end_of = [](const OpSpan& span) { return std::pair(span.thread, span.stop_ns); };
  base::parallel_for(calls.rows.size(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    auto thread = static_cast<std::size_t>(std::ranges::upper_bound(calls.first, begin) -
                                           calls.first.begin() - 1);
    std::optional<std::size_t> span;
    for (std::size_t place = begin; place < end; ++place) {
      while (calls.first[thread + 1] <= place) ++thread;
      const Row call = calls.rows[place];
      const std::pair at{calls.threads[thread], trace.api_calls.start_ns[call]};
      if (!span) {
        span = static_cast<std::size_t>(std::ranges::lower_bound(spans, at, {}, end_of) -
                                        spans.begin());
      }
      while (*span < spans.size() && end_of(spans[*span]) < at) ++*span;
      if (*span == spans.size()) return;
      // Where one op ends and the next begins at the same instant, the call is the next one's.
      std::size_t found = *span;
      if (found + 1 < spans.size() &&
          std::pair(spans[found + 1].thread, spans[found + 1].start_ns) == at) {
        ++found;
      }
      if (spans[found].thread == at.first && spans[found].start_ns <= at.second) {
        span_of_call[call] = static_cast<Row>(found);
      }
    }
  });
  return span_of_call;
}

}  // namespace dlview::import::capture
