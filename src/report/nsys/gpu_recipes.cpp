// Recipes over the work of GPUs: how kernel times spread, how busy each GPU is, and what hides
// communication.

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/intervals.h"
#include "profile/communication.h"
#include "report/nsys/cells.h"
#include "report/nsys/declarations.h"
#include "report/nsys/gpu_events.h"
#include "report/nsys/summary.h"

namespace dlview::report::nsys {
namespace {

using aggregate::Unit;
using GpuId = std::pair<profile::ThreadId, int64_t>;  // process and CUDA ordinal

// Equal parts of a span of time or durations; edges are whole ns.
class Parts {
 public:
  static constexpr int64_t kMost = 30;  // as the rule gpu_time_util has

  Parts(int64_t first, int64_t last) : first_(first), span_(last - first) {
    count_ = std::clamp<int64_t>(span_, 1, kMost);
  }
  int64_t count() const { return count_; }
  int64_t edge(int64_t part) const {
    const auto share = static_cast<long double>(span_) * static_cast<long double>(part);
    return first_ + static_cast<int64_t>(share / static_cast<long double>(count_));
  }
  // The last part holds its end, too.
  int64_t part_of(int64_t value) const {
    int64_t low = 0, high = count_ - 1;
    while (low < high) {
      const int64_t middle = (low + high + 1) / 2;
      (edge(middle) <= value ? low : high) = edge(middle) <= value ? middle : middle - 1;
    }
    return low;
  }

 private:
  int64_t first_, span_, count_ = 1;
};

struct Bin {
  int64_t first_ns = 0, end_ns = 0, count = 0;
  double percent = 0;
  int64_t kernel_name = 0;
};

void append_bins(int64_t name, const std::vector<int64_t>& durations, std::vector<Bin>& bins) {
  const auto [least, most] = std::ranges::minmax(durations);
  const Parts parts(least, most);
  const std::size_t first = bins.size();
  for (int64_t part = 0; part < parts.count(); ++part) {
    bins.push_back({parts.edge(part), parts.edge(part + 1), 0, 0, name});
  }
  for (const int64_t duration : durations) {
    ++bins[first + static_cast<std::size_t>(parts.part_of(duration))].count;
  }
  for (std::size_t bin = first; bin < bins.size(); ++bin) {
    bins[bin].percent =
        100.0 * static_cast<double>(bins[bin].count) / static_cast<double>(durations.size());
  }
}

struct BusyPart {
  int64_t start_ns = 0, end_ns = 0;
  double percent = 0;
  GpuId gpu;
};

// Work of each GPU for each process.
std::map<GpuId, std::vector<base::Interval>> work_by_gpu(const Input& input) {
  using enum GpuEvent::Kind;
  GpuEvents events{input.profile, {}};
  for (const GpuEvent::Kind kind : {kernel, copy, memset}) events.append(kind, input);
  std::map<GpuId, std::vector<base::Interval>> intervals;
  for (const GpuEvent& event : events.events) {
    const profile::GpuWork& work = events.work(event);
    if (event.row >= work.process.size() || event.row >= work.device_id.size()) continue;
    const int64_t start = events.start_ns(event);
    intervals[{work.process[event.row], work.device_id[event.row]}].push_back(
        {start, start + events.duration_ns(event)});
  }
  return intervals;
}

// The window, or from the first to the last of all work.
std::optional<Window> time_of(const Input& input,
                              const std::map<GpuId, std::vector<base::Interval>>& work) {
  if (input.window) return input.window;
  Window all{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  for (const auto& [gpu, intervals] : work) {
    for (const base::Interval& interval : intervals) {
      all.start_ns = std::min(all.start_ns, interval.start_ns);
      all.stop_ns = std::max(all.stop_ns, interval.stop_ns);
    }
  }
  return all.start_ns < all.stop_ns ? std::optional(all) : std::nullopt;
}

struct HiddenKernel {
  std::size_t row = 0;
  int64_t overlap_ns = 0;  // with kernels of its process and GPU that compute
};

// By time. Only kernels of the same process and CUDA ordinal hide a kernel: in another process the
// ordinal may mean another GPU.
std::vector<HiddenKernel> communication_kernels(const Input& input) {
  const profile::TraceKernels& kernels = input.trace().kernels;
  std::map<int64_t, bool> communicates;  // by name
  const auto is_communication = [&](std::size_t row) {
    const auto [known, is_new] = communicates.try_emplace(kernels.demangled_name[row], false);
    if (is_new) {
      known->second = profile::communication_of(text_of(input.profile, known->first)).has_value();
    }
    return known->second;
  };
  std::vector<HiddenKernel> hidden;
  std::map<GpuId, std::vector<base::Interval>> computing;
  for (const std::size_t row : input.rows(kernels)) {
    if (is_communication(row)) {
      hidden.push_back({row, 0});
    } else {
      computing[{kernels.process[row], kernels.device_id[row]}].push_back(
          {kernels.start_ns[row], kernels.end_ns[row]});
    }
  }
  std::map<GpuId, base::IntervalSet> busy;
  for (auto& [gpu, intervals] : computing) {
    busy[gpu] = base::IntervalSet::union_of(std::move(intervals));
  }
  for (HiddenKernel& kernel : hidden) {
    kernel.overlap_ns =
        busy[{kernels.process[kernel.row], kernels.device_id[kernel.row]}].covered_ns(
            kernels.start_ns[kernel.row], kernels.end_ns[kernel.row]);
  }
  std::ranges::stable_sort(
      hidden, {}, [&kernels](const HiddenKernel& kernel) { return kernels.start_ns[kernel.row]; });
  return hidden;
}

}  // namespace

std::optional<Table> cuda_gpu_kern_hist(const Input& input) {
  const profile::TraceKernels& kernels = input.trace().kernels;
  if (!is_recorded(kernels.demangled_name, kernels.size())) return std::nullopt;
  const std::vector<std::size_t> rows = input.rows(kernels);
  const auto duration = [&kernels](std::size_t row) {
    return kernels.end_ns[row] - kernels.start_ns[row];
  };
  const auto summary = summarize<1>(
      rows, [&kernels](std::size_t row) { return Key<1>{kernels.demangled_name[row]}; }, duration,
      [&profile = input.profile](const Key<1>& a, const Key<1>& b) {
        return text_of(profile, a[0]) < text_of(profile, b[0]);
      });
  std::map<int64_t, std::vector<int64_t>> durations;
  for (const std::size_t row : rows)
    durations[kernels.demangled_name[row]].push_back(duration(row));
  std::vector<Bin> all;
  for (const auto& row : summary->rows) append_bins(row.key[0], durations[row.key[0]], all);
  if (all.empty()) return std::nullopt;
  const auto bins = std::make_shared<const std::vector<Bin>>(std::move(all));
  const auto of_bin = [&bins](auto member) {
    return [bins, member](std::size_t row) { return Cell{(*bins)[row].*member}; };
  };
  Table table;
  table.row_count = bins->size();
  table.columns = {integer_column("bin_start", "Bin Start", Unit::ns, of_bin(&Bin::first_ns)),
                   integer_column("bin_end", "Bin End", Unit::ns, of_bin(&Bin::end_ns)),
                   integer_column("count", "Count", Unit::count, of_bin(&Bin::count)),
                   real_column("probability", "Probability", Unit::percent, of_bin(&Bin::percent)),
                   text_column("name", "Name", [bins, &profile = input.profile](std::size_t row) {
                     return text_of(profile, (*bins)[row].kernel_name);
                   })};
  return table;
}

std::optional<Table> cuda_gpu_time_util_map(const Input& input) {
  auto work = work_by_gpu(input);
  const std::optional<Window> time = time_of(input, work);
  if (!time || work.empty()) return std::nullopt;
  const Parts parts(time->start_ns, time->stop_ns);
  const auto rows = std::make_shared<std::vector<BusyPart>>();
  for (auto& [gpu, intervals] : work) {
    const auto busy = base::IntervalSet::union_of(std::move(intervals));
    for (int64_t part = 0; part < parts.count(); ++part) {
      const int64_t start = parts.edge(part), end = parts.edge(part + 1);
      const auto covered = static_cast<double>(busy.covered_ns(start, end));
      rows->push_back(
          {start, end, end > start ? 100.0 * covered / static_cast<double>(end - start) : 0, gpu});
    }
  }
  Table table;
  table.row_count = rows->size();
  const auto of_part = [&rows](auto value) {
    return [rows, value](std::size_t row) { return Cell{value((*rows)[row])}; };
  };
  table.columns = {
      integer_column("start", "Start", Unit::ns,
                     of_part([](const BusyPart& part) { return part.start_ns; })),
      integer_column("duration", "Duration", Unit::ns,
                     of_part([](const BusyPart& part) { return part.end_ns - part.start_ns; })),
      real_column("utilization", "GPU Utilization", Unit::percent,
                  of_part([](const BusyPart& part) { return part.percent; })),
      integer_column("pid", "PID", Unit::none,
                     of_part([&trace = input.trace()](const BusyPart& part) {
                       return trace.numbers_of(part.gpu.first).process_id;
                     })),
      integer_column("dev_id", "DevId", Unit::none,
                     of_part([](const BusyPart& part) { return part.gpu.second; }))};
  return table;
}

std::optional<Table> nccl_gpu_overlap_trace(const Input& input) {
  const profile::TraceKernels& kernels = input.trace().kernels;
  if (!is_recorded(kernels.demangled_name, kernels.size()) ||
      !is_recorded(kernels.process, kernels.size()) ||
      !is_recorded(kernels.device_id, kernels.size())) {
    return std::nullopt;
  }
  const auto rows = std::make_shared<const std::vector<HiddenKernel>>(communication_kernels(input));
  if (rows->empty()) return std::nullopt;
  const auto duration = [&kernels](const HiddenKernel& kernel) {
    return kernels.end_ns[kernel.row] - kernels.start_ns[kernel.row];
  };
  const auto of_kernel = [&rows](auto value) {
    return [rows, value](std::size_t row) { return Cell{value((*rows)[row])}; };
  };
  Table table;
  table.row_count = rows->size();
  table.columns = {
      integer_column("start", "Start", Unit::ns, of_kernel([&kernels](const HiddenKernel& k) {
                       return kernels.start_ns[k.row];
                     })),
      integer_column("duration", "Duration", Unit::ns, of_kernel(duration)),
      integer_column("overlap", "Overlap", Unit::ns,
                     of_kernel([](const HiddenKernel& k) { return k.overlap_ns; })),
      integer_column("exposed", "Exposed", Unit::ns, of_kernel([duration](const HiddenKernel& k) {
                       return duration(k) - k.overlap_ns;
                     })),
      real_column("overlap_share", "Overlap Share", Unit::percent,
                  of_kernel([duration](const HiddenKernel& k) {
                    const int64_t whole = duration(k);
                    return whole <= 0 ? Cell{}
                                      : Cell{100.0 * static_cast<double>(k.overlap_ns) /
                                             static_cast<double>(whole)};
                  })),
      integer_column("pid", "PID", Unit::none,
                     of_kernel([&trace = input.trace()](const HiddenKernel& k) {
                       return trace.numbers_of(trace.kernels.process[k.row]).process_id;
                     })),
      integer_column("dev_id", "DevId", Unit::none, of_kernel([&kernels](const HiddenKernel& k) {
                       return int64_t{kernels.device_id[k.row]};
                     })),
      text_column("name", "Name",
                  of_kernel([&kernels, &profile = input.profile](const HiddenKernel& k) {
                    return text_of(profile, kernels.demangled_name[k.row]);
                  }))};
  return table;
}

}  // namespace dlview::report::nsys
