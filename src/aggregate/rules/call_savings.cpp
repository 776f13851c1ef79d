#include "aggregate/rules/call_savings.h"

#include <algorithm>
#include <cstddef>
#include <map>

#include "aggregate/rules/saved_idle.h"
#include "base/intervals.h"
#include "base/stop_point.h"

namespace dlview::aggregate {
namespace {

using base::Interval;
using profile::Profile;

// The blocking calls of one process.
struct ProcessCalls {
  std::vector<RuleCall*> calls;
  std::vector<const GpuEvents*> gpus;
};

void sort_by_stop(std::vector<Interval>& calls) {
  std::ranges::sort(calls, {}, &Interval::stop_ns);
}

base::IntervalSet busy_times(const std::vector<const GpuEvents*>& gpus) {
  std::vector<Interval> busy;
  for (const GpuEvents* gpu : gpus) {
    for (const GpuEvent& event : gpu->rows) busy.push_back({event.start_ns, event.stop_ns});
  }
  return base::IntervalSet::union_of(std::move(busy));
}

class CallSavings {
 public:
  CallSavings(const Profile& profile, BlockingCalls& found, ProcessCalls& process,
              std::vector<Interval> other_waits, const IdleGaps& idle_gaps)
      : profile_(profile),
        found_(found),
        process_(process),
        other_waits_(std::move(other_waits)),
        idle_gaps_(idle_gaps) {
    std::ranges::sort(process_.calls, {}, &RuleCall::stop_ns);
    busy_ = busy_times(process_.gpus);
  }

  void find(CallRule rule) {
    std::vector<RuleCall*> calls;
    std::vector<Interval> times, barriers;
    for (RuleCall* call : process_.calls) {
      base::stop_point();
      const Interval time{call->start_ns, call->stop_ns};
      if (call->rule == rule) {
        calls.push_back(call);
        times.push_back(time);
      } else if (call->waits_for_gpu && blocks_on_gpu(time)) {
        barriers.push_back(time);
      }
    }
    if (calls.empty()) return;
    std::ranges::copy_if(other_waits_, std::back_inserter(barriers),
                         [this](const Interval& time) { return blocks_on_gpu(time); });
    sort_by_stop(barriers);
    for (const GpuEvents* gpu : process_.gpus) add(rule, *gpu, times, barriers, calls);
    for (RuleCall* call : calls) call->saved_ns /= std::ssize(process_.gpus);
  }

 private:
  // A synchronization with an idle GPU holds up nothing.
  bool blocks_on_gpu(const Interval& time) const {
    return busy_.covered_ns(time.start_ns, time.stop_ns) > 0;
  }

  void add(CallRule rule, const GpuEvents& gpu, const std::vector<Interval>& times,
           const std::vector<Interval>& barriers, const std::vector<RuleCall*>& calls) const {
    const auto counts = [&](const GpuEvent& event) {
      if (event.is_kernel) return true;
      return event.is_in_compute_stream &&
             found_.rule_of_memory_op[event.row] != static_cast<uint8_t>(rule);
    };
    std::vector<LaunchedGap> gaps;
    for_each_gap(gpu, counts, [&](int64_t start_ns, const GpuEvent& event) {
      base::stop_point();
      if (!event.has_launch || waits_for_data(gpu, start_ns, event)) return;
      gaps.push_back({start_ns, event.start_ns, event.launch_ns});
    });
    const std::vector<int64_t> saved_ns = saved_idle_ns(times, barriers, gaps);
    for (std::size_t i = 0; i < calls.size(); ++i) calls[i]->saved_ns += saved_ns[i];
  }

  // Who waits for a batch that is not ready waits longer for it, if nothing blocked before. Asked
  // of long gaps only: in a short one nobody waits for a batch.
  bool waits_for_data(const GpuEvents& gpu, int64_t start_ns, const GpuEvent& event) const {
    constexpr int64_t kLongNs = 1'000'000;
    if (event.start_ns - start_ns < kLongNs) return false;
    return idle_gaps_.host_time(gpu.device, start_ns, event.start_ns, instance_of(profile_, event))
               .cause == GapCause::data_loader;
  }

  const Profile& profile_;
  const BlockingCalls& found_;
  ProcessCalls& process_;
  std::vector<Interval> other_waits_;
  const IdleGaps& idle_gaps_;
  base::IntervalSet busy_;
};

}  // namespace

void find_call_savings(const Profile& profile, const std::vector<GpuEvents>& gpus,
                       const IdleGaps& idle_gaps, BlockingCalls& found) {
  std::map<int64_t, ProcessCalls> processes;
  for (const GpuEvents& gpu : gpus) processes[gpu.process_id].gpus.push_back(&gpu);
  for (RuleCall& call : found.calls) {
    const auto process = processes.find(profile.threads[call.thread].process_id);
    if (process != processes.end()) process->second.calls.push_back(&call);
  }
  for (auto& [id, process] : processes) {
    if (process.calls.empty()) continue;
    const auto waits = found.other_waits.find(id);
    CallSavings savings(profile, found, process,
                        waits == found.other_waits.end() ? std::vector<Interval>{} : waits->second,
                        idle_gaps);
    for (const CallRule rule : kCallRules) {
      base::stop_point();
      savings.find(rule);
    }
  }
}

}  // namespace dlview::aggregate
