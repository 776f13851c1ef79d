#include "report/nsys/kernels_in_ranges.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "base/intervals.h"
#include "report/nsys/cells.h"
#include "report/nsys/gpu_events.h"
#include "report/nsys/groups.h"

namespace dlview::report::nsys {
namespace {

// Ranges by the times at which they end: a Fenwick tree, from which ranges are taken one by one.
class EndTimes {
 public:
  void assign(std::vector<int64_t> ends_ns) {
    ends_ns_ = std::move(ends_ns);
    std::ranges::sort(ends_ns_);
    size_ = static_cast<int64_t>(ends_ns_.size());
    sums_.resize(ends_ns_.size());
    for (std::size_t i = 1; i <= sums_.size(); ++i) {
      sums_[i - 1] = static_cast<int64_t>(lowest_bit(i));
    }
  }
  void remove(int64_t end_ns) {
    --size_;
    for (std::size_t i = count_before(end_ns) + 1; i <= sums_.size(); i += lowest_bit(i)) {
      --sums_[i - 1];
    }
  }
  // How many of those that are left end then or later.
  int64_t count_from(int64_t time_ns) const {
    int64_t count = size_;
    for (std::size_t i = count_before(time_ns); i > 0; i -= lowest_bit(i)) count -= sums_[i - 1];
    return count;
  }

 private:
  static std::size_t lowest_bit(std::size_t i) { return i & (~i + 1); }
  std::size_t count_before(int64_t time_ns) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(ends_ns_, time_ns) - ends_ns_.begin());
  }

  std::vector<int64_t> ends_ns_;  // of all; one that was taken counts no more in sums_
  std::vector<int64_t> sums_;
  int64_t size_ = 0;  // left
};

// A launch in ranges of one name.
struct LaunchInRanges {
  std::size_t launch = 0, kernel_name = 0;  // the name's number in OfName
  int64_t range_count = 0;                  // that hold its call
};

// What is gathered of the ranges of one name, style and thread.
struct OfName {
  KeyTable<1> kernel_names;
  std::vector<int64_t> range_counts;  // different ranges by kernel name
  std::vector<int64_t> first_end_ns;  // by kernel name: of the calls so far
  std::vector<LaunchInRanges> launches;
};

class Gatherer {
 public:
  Gatherer(const Input& input, const RangeNames& names)
      : input_(input),
        names_(names),
        ends_(range_ends(input.trace().nvtx)),
        launches_(find_launches(input)),
        is_in_range_(launches_.size()) {
    for (std::size_t launch = 0; launch < launches_.size(); ++launch) {
      if (launches_[launch].call != Launches::kNone) by_call_.push_back(launch);
    }
    std::ranges::stable_sort(by_call_, {}, [this](std::size_t launch) {
      return std::pair(thread_of(launch), start_of(launch));
    });
  }

  std::vector<KernelsInRanges> gather();

 private:
  const profile::TraceApiCalls& calls() const { return input_.trace().api_calls; }
  const profile::TraceKernels& kernels() const { return input_.trace().kernels; }
  int64_t thread_of(std::size_t launch) const { return calls().thread[launches_[launch].call]; }
  int64_t start_of(std::size_t launch) const { return calls().start_ns[launches_[launch].call]; }
  int64_t kernel_name_of(std::size_t launch) const {
    return kernels().demangled_name[launches_[launch].kernel];
  }
  int64_t duration_of(std::size_t launch) const {
    const std::size_t kernel = launches_[launch].kernel;
    return kernels().end_ns[kernel] - kernels().start_ns[kernel];
  }

  void gather_ranges(const Key<3>& key, std::vector<std::size_t> ranges);
  // Calls use(launch) for those of the thread whose call begins in the time, the last one first.
  template <typename Use>
  void for_each_backward(int64_t thread, const base::Interval& time, const Use& use) const;
  void add(OfName& found, std::size_t launch);
  void append_rows(const Key<3>& key, OfName& found);
  void gather_others();

  const Input& input_;
  const RangeNames& names_;
  const std::vector<int64_t> ends_;
  const std::vector<Launch> launches_;
  std::vector<std::size_t> by_call_;  // launches in order of their call's thread and start
  std::vector<bool> is_in_range_;     // by launch
  EndTimes open_;
  std::vector<Repeated> durations_;
  std::vector<KernelsInRanges> gathered_;
};

template <typename Use>
void Gatherer::for_each_backward(int64_t thread, const base::Interval& time, const Use& use) const {
  const auto place = [this](std::size_t launch) {
    return std::pair(thread_of(launch), start_of(launch));
  };
  const auto begin =
      std::ranges::lower_bound(by_call_, std::pair(thread, time.start_ns), {}, place);
  auto end = std::ranges::lower_bound(by_call_, std::pair(thread, time.stop_ns), {}, place);
  while (end != begin) use(*--end);
}

// Backward in time, so that ranges which begin after a call are taken away for good. A range holds
// a call when it ends with it or later.
void Gatherer::gather_ranges(const Key<3>& key, std::vector<std::size_t> ranges) {
  const profile::TraceNvtx& nvtx = input_.trace().nvtx;
  std::ranges::sort(ranges, {}, [&nvtx](std::size_t range) { return nvtx.start_ns[range]; });
  std::vector<int64_t> ends_ns;
  std::vector<base::Interval> times;
  for (const std::size_t range : ranges) {
    ends_ns.push_back(ends_[range]);
    times.push_back({nvtx.start_ns[range], ends_[range] + 1});
  }
  open_.assign(std::move(ends_ns));
  const auto covered = base::IntervalSet::union_of(std::move(times));
  OfName found;
  const auto& intervals = covered.intervals();
  for (auto time = intervals.rbegin(); time != intervals.rend(); ++time) {
    for_each_backward(key[2], *time, [&](std::size_t launch) {
      for (; nvtx.start_ns[ranges.back()] > start_of(launch); ranges.pop_back()) {
        open_.remove(ends_[ranges.back()]);
      }
      add(found, launch);
    });
  }
  append_rows(key, found);
}

// Ranges that hold a later call of the same kernel too are counted already: those that end with the
// first of these calls to end, or later. Where this call ends after it, all do.
void Gatherer::add(OfName& found, std::size_t launch) {
  const int64_t end_ns = calls().end_ns[launches_[launch].call];
  const int64_t around = open_.count_from(end_ns);
  if (around == 0) return;
  is_in_range_[launch] = true;
  const auto [name, is_new] = found.kernel_names.insert({kernel_name_of(launch)});
  found.launches.push_back({launch, name, around});
  if (is_new) {
    found.range_counts.push_back(around);
    found.first_end_ns.push_back(end_ns);
    return;
  }
  int64_t& first_end_ns = found.first_end_ns[name];
  if (end_ns >= first_end_ns) return;
  found.range_counts[name] += around - open_.count_from(first_end_ns);
  first_end_ns = end_ns;
}

void Gatherer::append_rows(const Key<3>& key, OfName& found) {
  std::ranges::sort(found.launches, {},
                    [](const LaunchInRanges& in) { return std::pair(in.kernel_name, in.launch); });
  for (std::size_t i = 0; i < found.launches.size();) {
    const std::size_t name = found.launches[i].kernel_name;
    KernelsInRanges& row = gathered_.emplace_back();
    row.range_name = key[0];
    row.kind = key[1];
    row.thread = key[2];
    row.kernel_name = found.kernel_names.keys()[name][0];
    row.range_count = found.range_counts[name];
    durations_.clear();
    std::size_t last_kernel = Launches::kNone;
    for (; i < found.launches.size() && found.launches[i].kernel_name == name; ++i) {
      const LaunchInRanges& in = found.launches[i];
      durations_.push_back({duration_of(in.launch), in.range_count});
      const std::size_t kernel = launches_[in.launch].kernel;
      if (std::exchange(last_kernel, kernel) != kernel) ++row.kernel_count;
    }
    row.times = figures_of(durations_);
  }
}

// Launches in no range, by thread; those without a call have none.
void Gatherer::gather_others() {
  std::vector<std::size_t> others;
  for (std::size_t launch = 0; launch < launches_.size(); ++launch) {
    if (!is_in_range_[launch]) others.push_back(launch);
  }
  const Groups<1> threads = group_by<1>(others, [this](std::size_t launch) {
    const bool has_call = launches_[launch].call != Launches::kNone;
    return Key<1>{has_call ? thread_of(launch) : KernelsInRanges::kNone};
  });
  for (std::size_t thread = 0; thread < threads.size(); ++thread) {
    OfName found;
    for (const std::size_t launch : threads.rows(thread)) {
      const auto [name, is_new] = found.kernel_names.insert({kernel_name_of(launch)});
      if (is_new) found.range_counts.push_back(0);
      found.launches.push_back({launch, name, 1});
    }
    append_rows({KernelsInRanges::kNone, KernelsInRanges::kNone, threads.keys[thread][0]}, found);
  }
}

std::vector<KernelsInRanges> Gatherer::gather() {
  const profile::TraceNvtx& nvtx = input_.trace().nvtx;
  const std::vector<std::size_t> rows = range_rows(input_);
  const Groups<3> ranges = group_by<3>(rows, [&](std::size_t row) {
    return Key<3>{names_.id(row), static_cast<int64_t>(nvtx.kind[row]), nvtx.thread[row]};
  });
  for (std::size_t group = 0; group < ranges.size(); ++group) {
    const std::span<const std::size_t> members = ranges.rows(group);
    gather_ranges(ranges.keys[group], {members.begin(), members.end()});
  }
  gather_others();
  std::ranges::stable_sort(gathered_, [this](const auto& a, const auto& b) {
    const auto key_a = std::tie(a.range_name, a.thread, b.times.stats.sum);
    const auto key_b = std::tie(b.range_name, b.thread, a.times.stats.sum);
    if (key_a != key_b) return key_a < key_b;
    const std::string_view name_a = text_of(input_.profile, a.kernel_name);
    const std::string_view name_b = text_of(input_.profile, b.kernel_name);
    return std::tie(name_a, a.kind) < std::tie(name_b, b.kind);
  });
  return std::move(gathered_);
}

}  // namespace

std::vector<KernelsInRanges> gather_kernels_in_ranges(const Input& input, const RangeNames& names) {
  return Gatherer(input, names).gather();
}

}  // namespace dlview::report::nsys
