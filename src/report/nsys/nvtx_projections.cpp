// NVTX ranges as long as the GPU work that was launched in them: nvtx_gpu_proj_sum and _trace.

#include <algorithm>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "base/saturated_sum.h"
#include "report/nsys/cells.h"
#include "report/nsys/declarations.h"
#include "report/nsys/figures.h"
#include "report/nsys/gpu_events.h"
#include "report/nsys/groups.h"
#include "report/nsys/ranges.h"

namespace dlview::report::nsys {
namespace {

using aggregate::Unit;

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
    std::vector<std::size_t> last_row(trace.nvtx.size(), Launches::kNone);
    for (const std::size_t row : input.rows(work)) {
      launches.for_each(work, row, [&](std::size_t call) {
        enclosing.for_each(call, [&](std::size_t range) {
          Projection& projection = projections[range];
          projection.start_ns = std::min(projection.start_ns, work.start_ns[row]);
          projection.stop_ns = std::max(projection.stop_ns, work.end_ns[row]);
          if (std::exchange(last_row[range], row) != row) ++projection.work_count;
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
  int64_t range_name = 0, kind = 0;
  Figures projected;
  int64_t range_ns = 0, work_count = 0;
  double levels = 0, children = 0;  // sums

  double mean(double sum) const { return sum / static_cast<double>(projected.stats.count); }
};

// All ranges, and the rows of those that count and have work.
struct AllProjections {
  const profile::Trace& trace;
  const profile::TraceNvtx& nvtx;
  std::vector<int64_t> ends;
  RangeTree tree;
  std::vector<Projection> projections;
  std::vector<std::size_t> rows;

  explicit AllProjections(const Input& input)
      : trace(input.trace()),
        nvtx(trace.nvtx),
        ends(range_ends(nvtx)),
        tree(nest_ranges(nvtx, ends)),
        projections(project_ranges(input, enclose_calls(nvtx, ends, input.trace().api_calls))),
        rows(range_rows(input)) {
    for (std::size_t range = 0; range < nvtx.size(); ++range) {
      const std::size_t parent = tree.parent[range];
      if (parent == RangeTree::kNoParent || projections[range].work_count == 0) continue;
      ++projections[parent].child_count;
    }
    std::erase_if(rows, [this](std::size_t range) { return projections[range].work_count == 0; });
  }
  profile::Thread numbers_of(std::size_t range) const {
    return trace.numbers_of(nvtx.thread[range]);
  }
};

// By name and style, the largest sum first.
std::vector<ProjectedRanges> gather_projections(const Input& input, const RangeNames& names) {
  const AllProjections all(input);
  const Groups<2> groups = group_by<2>(all.rows, [&](std::size_t range) {
    return Key<2>{names.id(range), static_cast<int64_t>(all.nvtx.kind[range])};
  });
  std::vector<ProjectedRanges> gathered(groups.size());
  std::vector<int64_t> durations;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    ProjectedRanges& row = gathered[group];
    row.range_name = groups.keys[group][0];
    row.kind = groups.keys[group][1];
    durations.clear();
    for (const std::size_t range : groups.rows(group)) {
      const Projection& projection = all.projections[range];
      durations.push_back(projection.stop_ns - projection.start_ns);
      row.range_ns = base::saturated_sum(row.range_ns, all.ends[range] - all.nvtx.start_ns[range]);
      row.work_count += projection.work_count;
      row.levels += static_cast<double>(all.tree.level[range]);
      row.children += static_cast<double>(projection.child_count);
    }
    row.projected = figures_of(durations);
  }
  std::stable_sort(gathered.begin(), gathered.end(), [](const auto& a, const auto& b) {
    const int64_t sum_a = a.projected.stats.sum, sum_b = b.projected.stats.sum;
    return std::tie(sum_b, a.range_name, a.kind) < std::tie(sum_a, b.range_name, b.kind);
  });
  return gathered;
}

}  // namespace

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
                  [rows](std::size_t row) { return style_name((*rows)[row].kind); }),
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

std::optional<Table> nvtx_gpu_proj_trace(const Input& input) {
  if (!has_ranges_and_launches(input.trace())) return std::nullopt;
  AllProjections made(input);
  if (made.rows.empty()) return std::nullopt;
  std::ranges::stable_sort(made.rows, {}, [&made](std::size_t range) {
    return std::tuple(made.projections[range].start_ns, made.nvtx.start_ns[range],
                      made.tree.level[range]);
  });
  const auto all = std::make_shared<const AllProjections>(std::move(made));
  const auto names = std::make_shared<const RangeNames>(input.profile);
  using All = const AllProjections&;
  const auto of_range = [&all](auto value) {
    return [all, value](std::size_t row) { return Cell{value(*all, all->rows[row])}; };
  };
  const auto number = [&](std::string id, std::string title, Unit unit, auto value) {
    return integer_column(std::move(id), std::move(title), unit, of_range(value));
  };
  Table table;
  table.row_count = all->rows.size();
  table.columns = {
      text_column("name", "Name",
                  [all, names](std::size_t row) { return (*names)[names->id(all->rows[row])]; }),
      number("projected_start", "Projected Start", Unit::ns,
             [](All a, std::size_t i) { return a.projections[i].start_ns; }),
      number("projected_duration", "Projected Duration", Unit::ns,
             [](All a, std::size_t i) {
               return a.projections[i].stop_ns - a.projections[i].start_ns;
             }),
      number("orig_start", "Orig Start", Unit::ns,
             [](All a, std::size_t i) { return a.nvtx.start_ns[i]; }),
      number("orig_duration", "Orig Duration", Unit::ns,
             [](All a, std::size_t i) { return a.ends[i] - a.nvtx.start_ns[i]; }),
      word_column("style", "Style", of_range([](All a, std::size_t i) {
                    return style_name(static_cast<int64_t>(a.nvtx.kind[i]));
                  })),
      number("pid", "PID", Unit::none,
             [](All a, std::size_t i) { return a.numbers_of(i).process_id; }),
      number("tid", "TID", Unit::none,
             [](All a, std::size_t i) { return a.numbers_of(i).thread_id; }),
      number("num_gpu_ops", "NumGPUOps", Unit::count,
             [](All a, std::size_t i) { return a.projections[i].work_count; }),
      number("level", "Lvl", Unit::none, [](All a, std::size_t i) { return a.tree.level[i]; }),
      number("child_count", "NumChild", Unit::count,
             [](All a, std::size_t i) { return a.projections[i].child_count; }),
      number("range_id", "RangeId", Unit::none,
             [](All a, std::size_t i) { return range_id(a.nvtx, i); }),
      number("parent_id", "ParentId", Unit::none,
             [](All a, std::size_t i) { return parent_range_id(a.nvtx, a.tree, i); }),
      text_column("range_stack", "RangeStack",
                  of_range([](All a, std::size_t i) { return range_stack(a.nvtx, a.tree, i); }))};
  return table;
}

}  // namespace dlview::report::nsys
