// CallOrder: the API calls of a trace in order of start, found by their correlation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/large_memory.h"
#include "base/sort_runs.h"
#include "base/untouched_vector.h"
#include "import/pytorch/trace_events.h"

namespace dlview::import::pytorch {

// `calls` must outlive it.
class CallOrder {
 public:
  CallOrder(const base::LargeVector<CallEvent>& calls, const std::vector<TraceEventThread>& threads)
      : calls_(calls), order_(calls.size()) {
    std::map<std::string_view, uint32_t> processes;
    for (const TraceEventThread& thread : threads) {
      const auto number = static_cast<uint32_t>(processes.size());
      processes_.push_back(processes.try_emplace(thread.process, number).first->second);
    }
    std::iota(order_.begin(), order_.end(), profile::Row{0});
    base::sort_runs(std::span(order_), [&](profile::Row a, profile::Row b) {
      return calls[a].start_ns < calls[b].start_ns;
    });
    by_correlation_ = order_;
    base::sort_runs(std::span(by_correlation_), [&](profile::Row a, profile::Row b) {
      return key_of(calls[a]) < key_of(calls[b]);
    });
  }

  std::size_t size() const { return order_.size(); }
  const CallEvent& operator[](std::size_t row) const { return calls_[order_[row]]; }
  std::span<const profile::Row> by_start() const { return order_; }
  uint32_t process_of(const CallEvent& call) const { return processes_[call.thread]; }
  // The first of that correlation in any process; null = none.
  const CallEvent* find(int64_t correlation) const {
    const CallEvent* const call = first_from({correlation, 0});
    return call != nullptr && call->correlation == correlation ? call : nullptr;
  }
  // The same for one process.
  const CallEvent* find(int64_t correlation, uint32_t process) const {
    const CallEvent* const call = first_from({correlation, process});
    return call != nullptr && key_of(*call) == Key(correlation, process) ? call : nullptr;
  }
  // Whether several processes have calls of the correlation of `first`, which find() returned.
  bool is_ambiguous(const CallEvent& first) const {
    const CallEvent* const next = first_from({first.correlation, process_of(first) + 1});
    return next != nullptr && next->correlation == first.correlation;
  }

 private:
  using Key = std::pair<int64_t, uint32_t>;  // correlation and process
  Key key_of(const CallEvent& call) const { return {call.correlation, process_of(call)}; }
  const CallEvent* first_from(const Key& key) const {
    if (key.first == kNoValue || key.first == 0) return nullptr;
    const auto found = std::ranges::lower_bound(
        by_correlation_, key, {}, [this](profile::Row call) { return key_of(calls_[call]); });
    return found == by_correlation_.end() ? nullptr : &calls_[*found];
  }

  const base::LargeVector<CallEvent>& calls_;
  base::UntouchedVector<profile::Row> order_, by_correlation_;
  std::vector<uint32_t> processes_;  // by thread
};

}  // namespace dlview::import::pytorch
