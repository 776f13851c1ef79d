#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "aggregate/rules/detectors.h"
#include "aggregate/rules/worst_places.h"
#include "aggregate/steady.h"
#include "base/intervals.h"

namespace dlview::aggregate {
namespace {

using profile::Profile;

// "The host waits for a scalar" "2 times per iteration".
struct CallWords {
  std::string_view detector, what, recommendation;
};

const CallWords& words_of(CallRule rule) {
  static constexpr std::array<CallWords, kCallRules.size()> kWords{{
      {"scalar_reads", "Scalar reads block the host",
       "Reading one number blocks the host until the GPU has computed it. Then the GPU idles until "
       "the host has launched more work. Keep .item(), .cpu(), print() and conditions on tensors "
       "out of the step, read "
       "them every few steps, or read the value of the previous step"},
      {"cuda_memcpy_async", "Pageable host-to-device copies block the host",
       "The driver stages them in its own buffer, so cudaMemcpyAsync blocks. Pin the host memory: "
       "pin_memory=True in PyTorch's DataLoader with non_blocking=True, else cudaMallocHost or "
       "cudaHostRegister"},
      {"cuda_memcpy_async_to_host", "Pageable device-to-host copies block the host",
       "cudaMemcpyAsync returns only when the copy is done. Copy to pinned memory with "
       "non_blocking=True, and wait for an event where the data is needed"},
      {"cuda_memcpy_sync", "Synchronous copies block the host",
       "Use cudaMemcpyAsync with pinned memory, and wait only where the data is needed"},
      {"cuda_memset_sync", "Synchronous memsets of host memory block the host",
       "A memset of pinned or managed memory returns only when it is done. Use cudaMemsetAsync"},
      {"cuda_api_sync", "Synchronization calls block the host",
       "While blocked, the host launches nothing. Remove torch.cuda.synchronize() and implicit "
       "synchronizations, or wait for an event only (cudaStreamWaitEvent, cudaEventSynchronize)"},
      {"blocking_allocations", "Allocations and frees block the host",
       "cudaMalloc and cudaFree block the host, and cudaFree waits for the GPU. Allocate before "
       "the first step, use a caching allocator or cudaMallocAsync; in PyTorch avoid "
       "empty_cache() and shapes that vary, or set "
       "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"},
  }};
  return kWords[static_cast<std::size_t>(rule)];
}

// Calls of one rule in the range.
struct Calls {
  PerIteration saved_ns;
  FindingFigures figures;
  WorstPlaces places;
  std::vector<base::Interval> times;
};

class CallReporter {
 public:
  CallReporter(const RuleIndex& index, std::size_t most_places, FindingReport& report)
      : index_(index),
        profile_(report.profile()),
        view_(report.view()),
        report_(report),
        // Memory is allocated while a run warms up.
        first_allocating_(warm_up_end(view_.aggregation().iteration_table->iterations).value_or(0)),
        calls_(kCallRules.size(), {view_.zeros(), {}, WorstPlaces(most_places), {}}) {
    for (const RuleCall& call : index.calls(view_.first_instance(), view_.last_instance())) {
      add(call);
    }
  }

  void report() {
    for (const CallRule rule : kCallRules) report(rule);
  }

 private:
  void add(const RuleCall& call) {
    const int64_t iteration = view_.iteration_of(call.instance);
    if (call.rule == CallRule::allocation && iteration < first_allocating_) return;
    Calls& calls = calls_[static_cast<std::size_t>(call.rule)];
    view_.add(calls.saved_ns, iteration, call.saved_ns);
    if (!call.completes_read) ++calls.figures.count;
    calls.figures.total_ns += call.duration_ns();
    calls.times.push_back({call.start_ns, call.stop_ns});
    calls.places.add(profile_,
                     {.iteration = iteration,
                      .start_ns = call.start_ns,
                      .duration_ns = call.duration_ns(),
                      .stake_ns = call.saved_ns,
                      .instance = call.instance,
                      .call = call.name},
                     call.thread);
  }

  void report(CallRule rule) {
    Calls& calls = calls_[static_cast<std::size_t>(rule)];
    const int64_t processes = std::max<int64_t>(1, index_.process_count());
    for (int64_t& ns : calls.saved_ns) ns /= processes;
    const CallWords& words = words_of(rule);
    if (calls.figures.count == 0 && index_.is_untold(words.detector)) return;
    Finding* finding =
        report_.saves(words.detector, calls.saved_ns, "GPU idle time caused by the blocked host");
    if (finding == nullptr) return;
    finding->fact = Fact::gpu_idle;
    calls.places.tell_most(*finding);
    finding->places = calls.places.take();
    calls.figures.range_percent =
        view_.percent(base::IntervalSet::union_of(std::move(calls.times)).total_ns());
    finding->figures = calls.figures;
    finding->advice.problem =
        fmt::format("{} {}: up to {}", words.what, times_text(view_, calls.figures.count),
                    amount_text(view_, calls.saved_ns));
    finding->advice.recommendation =
        where_text(profile_, *finding) + std::string(words.recommendation);
  }

  const RuleIndex& index_;
  const Profile& profile_;
  const RangeView& view_;
  FindingReport& report_;
  int64_t first_allocating_;
  std::vector<Calls> calls_;
};

}  // namespace

void report_blocking_calls(const RuleIndex& index, std::size_t most_places, FindingReport& report) {
  CallReporter(index, most_places, report).report();
}

}  // namespace dlview::aggregate
