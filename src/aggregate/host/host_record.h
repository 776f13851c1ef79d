// HostRecord: the activity of host threads at any time, as far as an export has it: whether they
// had a CPU (SCHED_EVENTS), CPU samples with call stacks, OS runtime calls and NVTX ranges. Empty
// for files without them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "aggregate/gaps/thread_spans.h"
#include "aggregate/range_paths.h"
#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate {

struct HostThread {
  profile::ThreadId id = profile::kNoValue;
  // When the thread had a CPU, and when it is known whether it had one (spec.md 95). Both empty if
  // never.
  base::IntervalSet running, told;
  std::vector<profile::Row> samples;  // of Trace::samples, in order of time
  int64_t sample_period_ns = 0;       // of them while the thread runs; 0 where there are none
  bool is_named_loader = false;       // its name says that it loads data
  bool launches = false;              // launching_threads(), and it launched a kernel
};

// Samples by frame: how many had it on their call stack.
using FrameCounts = std::map<profile::FrameIndex, int64_t>;

// Results of the CPU samples of a thread.
struct Sampled {
  int64_t samples = 0;                            // with a call stack
  profile::StringId function = profile::kNoText;  // the innermost that at least half of them share
  int64_t in_function = 0;                        // samples with it on their call stack
  profile::StringId loader = profile::kNoText;    // the outermost of those that loads data
  bool loads_data() const { return loader != profile::kNoText; }
  bool operator==(const Sampled&) const = default;
};

// A thread that was busy while another did nothing.
struct BusyThread {
  profile::ThreadId id = profile::kNoValue;
  int64_t busy_ns = 0;  // HostRecord::busy_ns
  Sampled sampled = {};
  profile::StringId range = profile::kNoText;  // the NVTX range that took most
  bool loads_data = false;                     // by name of thread, range or function
  bool operator==(const BusyThread&) const = default;
};

class HostRecord {
 public:
  // The profile outlives it.
  explicit HostRecord(const profile::Profile& profile);

  std::span<const HostThread> threads() const { return threads_; }  // in order of id
  // nullptr: not recorded.
  const HostThread* find(const profile::Thread& thread) const;

  // Times in the window; the rest of it is unknown.
  struct States {
    int64_t running_ns = 0, asleep_ns = 0;
  };
  static States states(const HostThread& thread, const base::Interval& window);
  // How long it was busy in the window: it had a CPU, by switches, else by samples times their
  // period, else it was in NVTX ranges.
  int64_t busy_ns(const HostThread& thread, const base::Interval& window) const;
  // How long it ran in the window, by samples times their period.
  int64_t sampled_ns(const HostThread& thread, const base::Interval& window) const;
  std::span<const profile::Row> samples(const HostThread& thread,
                                        const base::Interval& window) const;
  // Calls use(name, part of the call inside the window) in order of start.
  template <typename Use>
  void for_each_os_call(const HostThread& thread, const base::Interval& window,
                        const Use& use) const {
    if (!profile_.trace) return;
    const profile::TraceCalls& calls = profile_.trace->os_calls;
    os_calls_.for_each_in(
        row_of(thread), window, [this](profile::Row row) { return os_call_time(row); },
        [&](profile::Row row, const base::Interval& part) { use(calls.name[row], part); });
  }
  // Calls use(text, the whole range, part of it inside the window) in order of start, for ranges
  // with a text that end on the thread.
  template <typename Use>
  void for_each_range(const HostThread& thread, const base::Interval& window,
                      const Use& use) const {
    const auto time_of = [this](profile::Row row) { return range_time(row); };
    ranges_.for_each_in(row_of(thread), window, time_of,
                        [&](profile::Row row, const base::Interval& part) {
                          const profile::StringId text = profile_.trace->nvtx.text[row];
                          if (text == profile::kNoText || ends_elsewhere(row)) return;
                          use(text, range_time(row), part);
                        });
  }

  FrameCounts frame_counts(std::span<const profile::Row> samples) const;
  Sampled sampled(std::span<const profile::Row> samples) const;
  // Returns the other thread of the process that was busy for most of the window, at least half of
  // it. Launching threads have priority, because the autograd engine's thread and the program's
  // wait for each other. Then a thread that loads data, which needs a twentieth of the window if it
  // was busy at the end (spec.md 96).
  std::optional<BusyThread> busiest_other(const profile::Thread& thread,
                                          const base::Interval& window) const;
  // As above if the thread loads data, else nullopt; costs less.
  std::optional<BusyThread> busiest_loader(const profile::Thread& thread,
                                           const base::Interval& window) const;

 private:
  profile::Row row_of(const HostThread& thread) const {
    return static_cast<profile::Row>(&thread - threads_.data());
  }
  void add_samples();
  void add_switches();
  void add_names();
  void add_launching();
  void add_processes();
  std::vector<bool> ever_load_data() const;  // by thread
  void check_states(HostThread& thread) const;
  base::Interval os_call_time(profile::Row row) const;
  base::Interval range_time(profile::Row row) const;
  bool ends_elsewhere(profile::Row range) const;
  base::IntervalSet range_times(profile::Row thread) const;
  BusyThread busy_thread(const HostThread& thread, const base::Interval& window) const;
  // Returns the launching thread of the process, other than this one, that was busy for most of the
  // window, at least half of it, with other activity than data loading. By switches or samples: a
  // waiting launching thread also has open ranges.
  std::optional<BusyThread> busiest_launching(const profile::Thread& thread,
                                              const base::Interval& window) const;
  // The busier one of `busiest` and those of `rows` that are busy enough.
  void look_at(std::span<const profile::Row> rows, int64_t not_thread, const base::Interval& window,
               std::optional<BusyThread>& busiest) const;

  // Threads of a process that are looked at in a window: the busiest of the capture.
  struct Process {
    std::vector<profile::Row> loaders, others;  // those that ever load data, in order of id
    std::vector<profile::Row> launching;
  };
  const profile::Profile& profile_;
  std::vector<HostThread> threads_;
  std::map<profile::ThreadId, profile::Row> rows_;
  std::map<ThreadKey, profile::Row> rows_by_numbers_;
  ThreadSpans os_calls_, ranges_;
  std::map<int64_t, Process> processes_;      // by id
  std::vector<base::IntervalSet> in_ranges_;  // by thread
};

}  // namespace dlview::aggregate
