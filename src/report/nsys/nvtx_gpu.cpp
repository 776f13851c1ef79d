// NVTX ranges with the GPU work that was launched in them.

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "report/nsys/declarations.h"
#include "report/nsys/figures.h"
#include "report/nsys/groups.h"
#include "report/nsys/labels.h"
#include "report/nsys/launches.h"
#include "report/nsys/ranges.h"

namespace dlview::report::nsys {
namespace {

using aggregate::Unit;

constexpr std::size_t kNoRow = Launches::kNone;

// A kernel launched by a call inside a range; a kernel without a call or a range has kNoRow there.
struct LaunchInRange {
  std::size_t kernel = 0, call = kNoRow, range = kNoRow;
};

// Kernels and ranges that count, the outermost range of a kernel first.
std::vector<LaunchInRange> launches_in_ranges(const Input& input) {
  const profile::Trace& trace = input.trace();
  const EnclosingRanges enclosing =
      enclose_calls(trace.nvtx, range_ends(trace.nvtx), trace.api_calls);
  std::vector<LaunchInRange> found;
  for (const auto& [kernel, call] : find_launches(input)) {
    const std::size_t before = found.size();
    if (call != kNoRow) {
      enclosing.for_each(call, [&, kernel = kernel, call = call](std::size_t range) {
        if (input.counts(trace.nvtx.start_ns[range])) found.push_back({kernel, call, range});
      });
      std::reverse(found.begin() + static_cast<std::ptrdiff_t>(before), found.end());
    }
    if (found.size() == before) found.push_back({kernel, call});
  }
  return found;
}

// Counts how many different rows there are in one group after the other.
class DistinctRows {
 public:
  explicit DistinctRows(std::size_t row_count) : last_group_(row_count, kNoRow) {}
  bool is_new(std::size_t group, std::size_t row) {
    return row != kNoRow && std::exchange(last_group_[row], group) != group;
  }

 private:
  std::vector<std::size_t> last_group_;
};

constexpr int64_t kNoKey = std::numeric_limits<int64_t>::min();

struct KernelsInRanges {
  // kNoKey, which comes before all others, where there is none.
  int64_t range_name = kNoKey, event_type = kNoKey, thread = kNoKey;
  int64_t kernel_name = 0;
  int64_t range_count = 0, kernel_count = 0;
  Figures times;
};

// By range name, style, thread and kernel; by range, then thread, the largest sum first.
std::vector<KernelsInRanges> gather_kernels(const Input& input, const RangeNames& names) {
  const profile::Trace& trace = input.trace();
  const profile::TraceKernels& kernels = trace.kernels;
  const std::vector<LaunchInRange> launches = launches_in_ranges(input);
  std::vector<std::size_t> rows(launches.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const Groups<4> groups = group_by<4>(rows, [&](std::size_t row) {
    const auto [kernel, call, range] = launches[row];
    return Key<4>{range == kNoRow ? kNoKey : names.id(range),
                  range == kNoRow ? kNoKey : trace.nvtx.event_type[range],
                  call == kNoRow ? kNoKey : trace.api_calls.thread[call],
                  kernels.demangled_name[kernel]};
  });
  DistinctRows distinct_ranges(trace.nvtx.size()), distinct_kernels(kernels.size());
  std::vector<KernelsInRanges> gathered;
  gathered.reserve(groups.size());
  std::vector<int64_t> durations;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const auto& [range_name, event_type, thread, kernel_name] = groups.keys[group];
    KernelsInRanges& row = gathered.emplace_back();
    row.range_name = range_name;
    row.event_type = event_type;
    row.thread = thread;
    row.kernel_name = kernel_name;
    durations.clear();
    for (const std::size_t member : groups.rows(group)) {
      const auto [kernel, call, range] = launches[member];
      durations.push_back(kernels.end_ns[kernel] - kernels.start_ns[kernel]);
      row.range_count += distinct_ranges.is_new(group, range) ? 1 : 0;
      row.kernel_count += distinct_kernels.is_new(group, kernel) ? 1 : 0;
    }
    row.times = figures_of(durations);
  }
  const profile::Profile& profile = input.profile;
  std::stable_sort(gathered.begin(), gathered.end(), [&profile](const auto& a, const auto& b) {
    const int64_t sum_a = a.times.stats.sum, sum_b = b.times.stats.sum;
    const auto key_a = std::tie(a.range_name, a.thread, sum_b),
               key_b = std::tie(b.range_name, b.thread, sum_a);
    if (key_a != key_b) return key_a < key_b;
    return text_of(profile, a.kernel_name) < text_of(profile, b.kernel_name);
  });
  return gathered;
}

// A range as the GPU saw it: from the start of the first to the end of the last piece of work that
// was launched in it.
struct Projection {
  int64_t start_ns = std::numeric_limits<int64_t>::max(), stop_ns = profile::kNoValue;
  int64_t work_count = 0, child_count = 0;  // children: ranges right inside it with GPU work
};

std::vector<Projection> project_ranges(const Input& input, const EnclosingRanges& enclosing) {
  const profile::Trace& trace = input.trace();
  const Launches launches(trace.api_calls);
  std::vector<Projection> projections(trace.nvtx.size());
  const auto project = [&](const profile::GpuWork& work) {
    if (!are_tied(work, trace.api_calls)) return;
    DistinctRows distinct(trace.nvtx.size());
    for (const std::size_t row : input.rows(work)) {
      launches.for_each(work, row, [&](std::size_t call) {
        enclosing.for_each(call, [&](std::size_t range) {
          Projection& projection = projections[range];
          projection.start_ns = std::min(projection.start_ns, work.start_ns[row]);
          projection.stop_ns = std::max(projection.stop_ns, work.end_ns[row]);
          projection.work_count += distinct.is_new(row, range) ? 1 : 0;
        });
      });
    }
  };
  project(trace.kernels);
  project(trace.memcpys);
  project(trace.memsets);
  return projections;
}

struct ProjectedRanges {
  int64_t range_name = 0, event_type = 0;
  Figures projected;
  int64_t range_ns = 0, work_count = 0;
  double levels = 0, children = 0;  // sums

  double mean(double sum) const { return sum / static_cast<double>(projected.stats.count); }
};

// By name and style, the largest sum first.
std::vector<ProjectedRanges> gather_projections(const Input& input, const RangeNames& names) {
  const profile::TraceNvtx& nvtx = input.trace().nvtx;
  const std::vector<int64_t> ends = range_ends(nvtx);
  const RangeTree tree = nest_ranges(nvtx, ends);
  std::vector<Projection> projections =
      project_ranges(input, enclose_calls(nvtx, ends, input.trace().api_calls));
  for (std::size_t range = 0; range < nvtx.size(); ++range) {
    const std::size_t parent = tree.parent[range];
    if (parent == RangeTree::kNoParent || projections[range].work_count == 0) continue;
    ++projections[parent].child_count;
  }
  std::vector<std::size_t> rows = range_rows(input);
  std::erase_if(rows, [&](std::size_t range) { return projections[range].work_count == 0; });
  const Groups<2> groups = group_by<2>(rows, [&](std::size_t range) {
    return Key<2>{names.id(range), nvtx.event_type[range]};
  });
  std::vector<ProjectedRanges> gathered(groups.size());
  std::vector<int64_t> durations;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    ProjectedRanges& row = gathered[group];
    row.range_name = groups.keys[group][0];
    row.event_type = groups.keys[group][1];
    durations.clear();
    for (const std::size_t range : groups.rows(group)) {
      const Projection& projection = projections[range];
      durations.push_back(projection.stop_ns - projection.start_ns);
      row.range_ns = saturated_sum(row.range_ns, ends[range] - nvtx.start_ns[range]);
      row.work_count += projection.work_count;
      row.levels += static_cast<double>(tree.level[range]);
      row.children += static_cast<double>(projection.child_count);
    }
    row.projected = figures_of(durations);
  }
  std::stable_sort(gathered.begin(), gathered.end(), [](const auto& a, const auto& b) {
    const int64_t sum_a = a.projected.stats.sum, sum_b = b.projected.stats.sum;
    return std::tie(sum_b, a.range_name, a.event_type) <
           std::tie(sum_a, b.range_name, b.event_type);
  });
  return gathered;
}

bool has_ranges_and_launches(const profile::Trace& trace) {
  return is_recorded(trace.nvtx.text, trace.nvtx.size()) &&
         is_recorded(trace.nvtx.thread, trace.nvtx.size()) &&
         (are_tied(trace.kernels, trace.api_calls) || are_tied(trace.memcpys, trace.api_calls) ||
          are_tied(trace.memsets, trace.api_calls));
}

}  // namespace

std::optional<Table> nvtx_kern_sum(const Input& input) {
  const profile::Trace& trace = input.trace();
  if (!has_ranges_and_launches(trace) || !are_tied(trace.kernels, trace.api_calls) ||
      !is_recorded(trace.kernels.demangled_name, trace.kernels.size())) {
    return std::nullopt;
  }
  const auto names = std::make_shared<const RangeNames>(input.profile);
  const auto rows =
      std::make_shared<const std::vector<KernelsInRanges>>(gather_kernels(input, *names));
  if (rows->empty()) return std::nullopt;
  const auto id_of_thread = [rows](int64_t (*id)(profile::GlobalId)) {
    return [rows, id](std::size_t row) {
      const int64_t thread = (*rows)[row].thread;
      return thread == kNoKey ? Cell{} : Cell{id(thread)};
    };
  };
  const auto range_name = [rows, names](std::size_t row) {
    const int64_t id = (*rows)[row].range_name;
    return id == kNoKey ? Cell{} : Cell{(*names)[id]};
  };
  const auto style = [rows](std::size_t row) {
    const int64_t event_type = (*rows)[row].event_type;
    return event_type == kNoKey ? Cell{} : Cell{style_name(event_type)};
  };
  Table table;
  table.row_count = rows->size();
  table.columns = {text_column("nvtx_range", "NVTX Range", range_name),
                   word_column("style", "Style", style),
                   integer_column("pid", "PID", Unit::none, id_of_thread(profile::process_id_of)),
                   integer_column("tid", "TID", Unit::none, id_of_thread(profile::thread_id_of)),
                   integer_column("nvtx_inst", "NVTX Inst", Unit::count,
                                  [rows](std::size_t row) { return (*rows)[row].range_count; }),
                   integer_column("kern_inst", "Kern Inst", Unit::count,
                                  [rows](std::size_t row) { return (*rows)[row].kernel_count; }),
                   integer_column("total_time", "Total Time", Unit::ns, [rows](std::size_t row) {
                     return (*rows)[row].times.stats.sum;
                   })};
  append_figures(table.columns, "", Unit::ns,
                 [rows](std::size_t row) -> const Figures& { return (*rows)[row].times; });
  table.columns.push_back(
      text_column("kernel_name", "Kernel Name", [rows, &profile = input.profile](std::size_t row) {
        return text_of(profile, (*rows)[row].kernel_name);
      }));
  return table;
}

std::optional<Table> nvtx_gpu_proj_sum(const Input& input) {
  if (!has_ranges_and_launches(input.trace())) return std::nullopt;
  const auto names = std::make_shared<const RangeNames>(input.profile);
  const auto rows =
      std::make_shared<const std::vector<ProjectedRanges>>(gather_projections(input, *names));
  if (rows->empty()) return std::nullopt;
  const auto mean = [rows](auto sum) {
    return [rows, sum](std::size_t row) {
      const ProjectedRanges& ranges = (*rows)[row];
      return ranges.mean(static_cast<double>(ranges.*sum));
    };
  };
  Table table;
  table.row_count = rows->size();
  table.columns = {
      text_column("range", "Range",
                  [rows, names](std::size_t row) { return (*names)[(*rows)[row].range_name]; }),
      word_column("style", "Style",
                  [rows](std::size_t row) { return style_name((*rows)[row].event_type); }),
      integer_column("total_proj_time", "Total Proj Time", Unit::ns,
                     [rows](std::size_t row) { return (*rows)[row].projected.stats.sum; }),
      integer_column("total_range_time", "Total Range Time", Unit::ns,
                     [rows](std::size_t row) { return (*rows)[row].range_ns; }),
      integer_column("range_instances", "Range Instances", Unit::count,
                     [rows](std::size_t row) { return (*rows)[row].projected.stats.count; })};
  append_figures(table.columns, "Proj ", Unit::ns,
                 [rows](std::size_t row) -> const Figures& { return (*rows)[row].projected; });
  table.columns.push_back(
      integer_column("total_gpu_ops", "Total GPU Ops", Unit::count,
                     [rows](std::size_t row) { return (*rows)[row].work_count; }));
  table.columns.push_back(
      real_column("avg_gpu_ops", "Avg GPU Ops", Unit::count, mean(&ProjectedRanges::work_count)));
  table.columns.push_back(
      real_column("avg_range_lvl", "Avg Range Lvl", Unit::count, mean(&ProjectedRanges::levels)));
  table.columns.push_back(
      real_column("avg_num_child", "Avg Num Child", Unit::count, mean(&ProjectedRanges::children)));
  return table;
}

}  // namespace dlview::report::nsys
