#include "import/capture/call_index.h"

#include <algorithm>
#include <string>

#include "base/sort_runs.h"
#include "import/capture/trace_rows.h"
#include "import/times.h"

namespace dlview::import::capture {
namespace {

using profile::kNoRow;
using profile::kNoValue;
using profile::Row;
using profile::ThreadId;

bool is_correlation(int64_t value) {
  return value != kNoValue && value != 0;
}

}  // namespace

// The count bounds the memory, whatever the correlations are.
bool CallIndex::Calls::is_dense() const {
  const uint64_t reach = static_cast<uint64_t>(most) - static_cast<uint64_t>(least);
  return count > 0 && reach < 4 * static_cast<uint64_t>(count) + 1024;
}

void CallIndex::Calls::add(int64_t correlation, Row row) {
  if (dense.empty()) return stray.push_back({correlation, row});
  Row& first = dense[static_cast<std::size_t>(correlation - least)];
  if (first == kNoRow) first = row;
}

CallIndex::CallIndex(const profile::Trace& trace, const TraceNotes& notes) {
  const profile::TraceApiCalls& calls = trace.api_calls;
  const base::LargeVector<Row> rows = usable_rows(trace, notes);
  by_thread_ = profile::group_by_thread(
      rows, [&calls](Row row) { return value_or(calls.thread, row, kNoValue); });
  for (std::size_t thread = 0; thread < by_thread_.threads.size(); ++thread) {
    base::sort_runs(by_thread_.rows_of(thread),
                    [&calls](Row a, Row b) { return calls.start_ns[a] < calls.start_ns[b]; });
  }
  index(trace, rows);
}

base::LargeVector<Row> CallIndex::usable_rows(const profile::Trace& trace,
                                              const TraceNotes& notes) const {
  const profile::TraceApiCalls& calls = trace.api_calls;
  base::LargeVector<Row> rows;
  rows.reserve(calls.size());
  for (Row row = 0; row < calls.size(); ++row) {
    const profile::ApiLayer layer = value_or(calls.layer, row, profile::ApiLayer::runtime);
    if (layer != profile::ApiLayer::runtime && layer != profile::ApiLayer::driver) continue;
    if (const char* problem = time_problem(calls.start_ns[row], calls.end_ns[row])) {
      notes.add(notes.tables.api_calls, problem, row, [&] {
        return "from " + std::to_string(calls.start_ns[row]) + " ns to " +
               std::to_string(calls.end_ns[row]) + " ns";
      });
      continue;
    }
    rows.push_back(row);
  }
  return rows;
}

void CallIndex::index(const profile::Trace& trace, std::span<const Row> rows) {
  const profile::TraceApiCalls& table = trace.api_calls;
  const auto for_each_call = [&](const auto& use) {
    ThreadId process = kNoValue;
    Calls* calls = nullptr;
    for (const Row row : rows) {
      const ThreadId of_row = profile::process_of(value_or(table.thread, row, kNoValue));
      if (calls == nullptr || of_row != process) calls = &processes_[process = of_row];
      const int64_t correlation = value_or(table.correlation, row, kNoValue);
      if (is_correlation(correlation)) use(*calls, correlation, row);
    }
  };
  for_each_call([](Calls& calls, int64_t correlation, Row) {
    ++calls.count;
    calls.least = std::min(calls.least, correlation);
    calls.most = std::max(calls.most, correlation);
  });
  for (auto& [process, calls] : processes_) {
    if (!calls.is_dense()) continue;
    calls.dense.resize(static_cast<std::size_t>(calls.most - calls.least) + 1, kNoRow);
  }
  for_each_call([](Calls& calls, int64_t correlation, Row row) { calls.add(correlation, row); });
  for (auto& [process, calls] : processes_) {
    base::sort_runs(std::span(calls.stray), [](const Calls::Stray& a, const Calls::Stray& b) {
      return a.correlation < b.correlation;
    });
  }
}

Row CallIndex::find(ThreadId process, int64_t correlation) const {
  if (!is_correlation(correlation)) return kNoRow;
  const bool is_told = process != kNoValue || processes_.size() != 1;
  const auto found = is_told ? processes_.find(process) : processes_.begin();
  if (found == processes_.end()) return kNoRow;
  const Calls& calls = found->second;
  if (correlation < calls.least || correlation > calls.most) return kNoRow;
  if (!calls.dense.empty()) return calls.dense[static_cast<std::size_t>(correlation - calls.least)];
  const auto stray =
      std::ranges::lower_bound(calls.stray, correlation, {}, &Calls::Stray::correlation);
  return stray->correlation == correlation ? stray->row : kNoRow;
}

}  // namespace dlview::import::capture
